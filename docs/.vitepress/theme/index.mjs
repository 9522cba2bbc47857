import DefaultTheme from "vitepress/theme";
import { Diagram } from "./diagram.mjs";
import { RequestDiagram } from "./request-diagram.mjs";
import "./style.css";

/** The generator's own theme with our colours, and diagrams that are drawn. */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // Otherwise a page that cannot be rendered is built empty.
    app.config.throwUnhandledErrorInProduction = true;
    app.component("Diagram", Diagram);
    app.component("RequestDiagram", RequestDiagram);
  },
};
