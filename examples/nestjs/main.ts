import "reflect-metadata";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createGuard, type VerifiedCaller } from "@latchkey/client/server";
import { type CanActivate, Controller, type ExecutionContext, Get, HttpException, Module, Req } from "@nestjs/common";
import { APP_GUARD, NestFactory, Reflector } from "@nestjs/core";

const { LATCHKEY_URL = "http://127.0.0.1:8080", PORT = "9000" } = process.env;

type GuardedRequest = IncomingMessage & { caller?: VerifiedCaller };

const guard = createGuard({ baseUrl: LATCHKEY_URL });
const reflector = new Reflector();
/** The scopes that a caller needs for a route or a controller: `@Scopes("plans:read")`. */
const Scopes = Reflector.createDecorator<string | string[]>();

/** Guards every route of the app. One without `@Scopes` is not served. */
class LatchkeyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const scopes = reflector.getAllAndOverride(Scopes, [context.getHandler(), context.getClass()]);
    if (scopes === undefined) return false;
    const req = context.switchToHttp().getRequest<GuardedRequest>();
    const res = context.switchToHttp().getResponse<ServerResponse>();
    const verdict = await guard.check(req.headersDistinct, scopes, { clientAddress: req.socket.remoteAddress });
    for (const [name, value] of verdict.headers) res.setHeader(name, value);
    if (verdict.kind === "refused") throw new HttpException(JSON.parse(verdict.body), verdict.status);
    req.caller = verdict.caller;
    return true;
  }
}

@Controller("plans")
class PlansController {
  @Get()
  @Scopes("plans:read")
  list(@Req() req: GuardedRequest) {
    return { tenant_id: req.caller?.tenantId, plans: ["basic", "pro"] };
  }

  @Get("forgotten")
  forgotten() {
    return {};
  }
}

@Module({ controllers: [PlansController], providers: [{ provide: APP_GUARD, useClass: LatchkeyGuard }] })
class PlansModule {}

const app = await NestFactory.create(PlansModule, { logger: ["error"] });
await app.listen(Number(PORT), "127.0.0.1");
