import { createConnectQueryKey, useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import type { AccessToken } from "../../../clients/typescript/src/gen/latchkey/v1/access_token_pb.ts";
import { TokenService } from "../../../clients/typescript/src/gen/latchkey/v1/token_service_pb.ts";
import { Confirm } from "../members/confirm.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

interface RevokeTokenProps {
  readonly token: AccessToken;
  readonly focusAfter: string;
  readonly onClose: () => void;
}

/** Asks before a token ends, since nothing brings it back. The list is loaded again before the question closes. */
export function RevokeToken({ token: { tokenId, expiresAt }, focusAfter, onClose }: RevokeTokenProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutateAsync } = useMutation(TokenService.method.revokeToken);
  const revoke = async (): Promise<void> => {
    await mutateAsync({ tokenId });
    const queryKey = createConnectQueryKey({ schema: TokenService, cardinality: undefined });
    await queries.invalidateQueries({ queryKey });
    toast("Token revoked");
  };
  return (
    <Confirm title="Revoke the token?" action="Revoke" onConfirm={revoke} onClose={onClose} focusAfter={focusAfter}>
      Every call with <code>{tokenId}</code> is denied from now on, on every replica, and it cannot be undone. It
      expires by itself <Time at={expiresAt} />. The key and its other tokens go on working.
    </Confirm>
  );
}
