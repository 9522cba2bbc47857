import { useCaller } from "../api/caller.tsx";
import { Choice } from "../ui/field.tsx";

/** One of the operator's roles, or a current one that the operator has removed. */
export function RoleChoice({ value, onChange }: { value: string; onChange: (role: string) => void }) {
  const { roles } = useCaller().settings;
  const known = roles.includes(value) ? roles : [value, ...roles];
  return (
    <Choice
      label="Role"
      hint="You cannot give a role with permissions that you do not have."
      value={value}
      choices={known.map((role) => ({ value: role, label: role }))}
      onChange={onChange}
    />
  );
}
