/** What stands above the text of the first page, `docs/home.md`: a sentence, where to begin, and the three promises. */
export const HOME = {
  layout: "home",
  title: "Latchkey",
  titleTemplate: "The access layer of a multi-tenant platform",
  hero: {
    name: "Latchkey",
    text: "One call says who is calling, and whether they may",
    tagline:
      "API keys, end users' tokens and dashboard users in, one verified caller out. For platforms with tenants, on your own PostgreSQL.",
    actions: [
      { theme: "brand", text: "First call", link: "/docs/guides/first-call" },
      { theme: "alt", text: "Guard your service", link: "/docs/guides/guard" },
      { theme: "alt", text: "API reference", link: "/docs/api/" },
    ],
  },
  features: [
    {
      title: "Revoked is revoked",
      details: "A revocation binds on every replica before it is acknowledged.",
      link: "/docs/consistency",
      linkText: "How, and how long it may take",
    },
    {
      title: "A limit is a limit",
      details: "With Redis, a limit holds exactly over all replicas, for a key and for each of its users.",
      link: "/docs/guides/limits",
      linkText: "What limits mean",
    },
    {
      title: "One message, one outcome",
      details: "Each accepted message ends in one reply or one reason, also if a process dies in between.",
      link: "/docs/promises",
      linkText: "All promises, with their tests",
    },
  ],
};
