/** Whether a client takes a content coding (RFC 9110, 12.5.3). `*` is not asked about: all that send it name gzip, too. */
export function acceptsCoding(coding: string, acceptEncoding = ""): boolean {
  return acceptEncoding.split(",").some((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
