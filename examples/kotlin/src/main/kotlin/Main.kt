import com.connectrpc.Code
import com.connectrpc.ConnectException
import com.connectrpc.ProtocolClientConfig
import com.connectrpc.ResponseMessage
import com.connectrpc.extensions.GoogleJavaProtobufStrategy
import com.connectrpc.fold
import com.connectrpc.getOrThrow
import com.connectrpc.impl.ProtocolClient
import com.connectrpc.okhttp.ConnectOkHttpClient
import com.connectrpc.protocols.NetworkProtocol
import com.latchkey.v1.ApiKeyServiceClient
import com.latchkey.v1.ContentPartType
import com.latchkey.v1.Denial
import com.latchkey.v1.DenialReason
import com.latchkey.v1.GatewayServiceClient
import com.latchkey.v1.Role
import com.latchkey.v1.contentPart
import com.latchkey.v1.getConversationStateRequest
import com.latchkey.v1.listApiKeysRequest
import com.latchkey.v1.sendMessageRequest
import com.latchkey.v1.userMessage
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import okhttp3.OkHttpClient
import java.util.UUID
import kotlin.time.Duration.Companion.seconds

/** The typed reason why a call was denied; null for every other error. */
fun denialOf(error: ConnectException): Denial? = error.unpackedDetails(Denial::class).firstOrNull()

/** Calls again after Retry-After where the rate limit denied it, which is checked before anything is done. */
suspend fun <T> patiently(attemptsMax: Int = 3, call: suspend () -> ResponseMessage<T>): ResponseMessage<T> {
    repeat(attemptsMax - 1) {
        val response = call()
        if (response !is ResponseMessage.Failure) return response
        if (denialOf(response.cause)?.reason != DenialReason.DENIAL_REASON_RATE_LIMITED) return response
        val headers = response.headers.mapKeys { (name, _) -> name.lowercase() }
        val seconds = headers["retry-after"]?.firstOrNull()?.toLongOrNull() ?: return response
        delay(seconds.seconds)
    }
    return call()
}

fun main() = runBlocking {
    val credentials = Credentials(System.getenv("LATCHKEY_PUBLISHABLE_KEY")) { System.getenv("LATCHKEY_USER_TOKEN") }
    // Follows no redirect: credentials go to this address alone.
    val http = OkHttpClient.Builder().followRedirects(false).build()
    val latchkey = ProtocolClient(
        httpClient = ConnectOkHttpClient(http),
        ProtocolClientConfig(
            host = System.getenv("LATCHKEY_URL"),
            serializationStrategy = GoogleJavaProtobufStrategy(),
            networkProtocol = NetworkProtocol.CONNECT,
            interceptors = listOf { credentials },
        ),
    )
    val gateway = GatewayServiceClient(latchkey)

    val message = sendMessageRequest {
        conversationKey = "kotlin"
        // The same message, however often it is sent.
        clientMessageId = UUID.randomUUID().toString()
        userMessage = userMessage {
            role = Role.ROLE_USER
            content += contentPart {
                type = ContentPartType.CONTENT_PART_TYPE_TEXT
                content = "Hi"
            }
        }
    }
    patiently { gateway.sendMessage(message) }.getOrThrow()
    val question = getConversationStateRequest {
        conversationKey = "kotlin"
        waitMs = 5_000
    }
    val state = patiently { gateway.getConversationState(question) }.getOrThrow()
    println(state.messagesList.first().contentList.first().content)

    // What an app may not do.
    ApiKeyServiceClient(latchkey).listApiKeys(listApiKeysRequest {}).fold(
        onSuccess = { println("this key may list keys") },
        onFailure = { error ->
            when (denialOf(error)?.reason) {
                DenialReason.DENIAL_REASON_INSUFFICIENT_SCOPE -> println("denied: ${error.code == Code.PERMISSION_DENIED}")
                DenialReason.DENIAL_REASON_JWT_EXPIRED -> println("refresh the token and call again")
                else -> throw error
            }
        },
    )
    http.dispatcher.executorService.shutdown()
    http.connectionPool.evictAll()
}
