//! A service of tonic, here that of health checks, which asks Latchkey's /auth/check about each call.
use std::{env, time::Duration};

use tonic::transport::{server::TcpConnectInfo, Server};
use tonic::{Code, Request, Status};

const CHECKED: [&str; 3] = ["x-api-key", "authorization", "x-on-behalf-of"];

/// Who is calling: `request.extensions().get::<Caller>()` in a handler.
#[derive(Clone)]
struct Caller {
    #[allow(dead_code, reason = "health checks are the same for all callers")]
    tenant_id: String,
}

/// Lets a call pass, or fails with what Latchkey says of it. Any other answer is `unavailable`.
async fn check(http: reqwest::Client, url: String, mut call: Request<()>) -> Result<Request<()>, Status> {
    let mut question = http.get(&url);
    // Two values stay two, which Latchkey refuses.
    for (name, value) in
        call.metadata().clone().into_headers().iter().filter(|(name, _)| CHECKED.contains(&name.as_str()))
    {
        question = question.header(name, value);
    }
    if let Some(address) = call.extensions().get::<TcpConnectInfo>().and_then(|info| info.remote_addr()) {
        question = question.header("x-forwarded-for", address.ip().to_string());
    }
    let away = |_| Status::unavailable("The credentials could not be checked just now. Retry.");
    let verdict = question.send().await.map_err(away)?;
    let tenant = verdict.headers().get("x-auth-tenant-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    if let (200, Some(tenant_id)) = (verdict.status().as_u16(), tenant) {
        call.extensions_mut().insert(Caller { tenant_id });
        return Ok(call);
    }
    let denial: serde_json::Value = serde_json::from_slice(&verdict.bytes().await.map_err(away)?).unwrap_or_default();
    let code = match denial["code"].as_str() {
        Some("invalid_argument") => Code::InvalidArgument,
        Some("unauthenticated") => Code::Unauthenticated,
        Some("permission_denied") => Code::PermissionDenied,
        Some("resource_exhausted") => Code::ResourceExhausted,
        _ => Code::Unavailable,
    };
    Err(Status::new(code, denial["message"].as_str().unwrap_or_default()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let url = format!("{}/auth/check?scope=plans:read", variable("LATCHKEY_URL", "http://127.0.0.1:8080"));
    let http = reqwest::Client::builder()
        .timeout(Duration::from_secs(2))
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let guard = tonic_async_interceptor::async_interceptor(move |call| check(http.clone(), url.clone(), call));
    let (_, health) = tonic_health::server::health_reporter();
    let address = format!("127.0.0.1:{}", variable("PORT", "9000")).parse()?;
    Server::builder().layer(guard).add_service(health).serve(address).await?;
    Ok(())
}
