import com.connectrpc.Interceptor
import com.connectrpc.StreamFunction
import com.connectrpc.UnaryFunction
import com.connectrpc.http.clone

/**
 * Puts the key and the user's current token on every request.
 *
 * The token is requested for each call, so that a refreshed one is sent. A publishable key is public and may be part of an
 * app; a secret key may not, and is sent without a token.
 */
class Credentials(private val apiKey: String, private val userToken: (() -> String)? = null) : Interceptor {
    override fun unaryFunction() = UnaryFunction(
        requestFunction = { request ->
            val headers = request.headers.toMutableMap()
            headers["X-API-Key"] = listOf(apiKey)
            userToken?.let { headers["Authorization"] = listOf("Bearer ${it()}") }
            request.clone(headers = headers)
        },
    )

    override fun streamFunction() = StreamFunction()
}
