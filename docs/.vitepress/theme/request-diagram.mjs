import { defineComponent, h } from "vue";
import svg from "../../pictures/request.svg?raw";

/** The picture of a request, in the page itself: so it has the colours of the page, which its reader can switch. */
export const RequestDiagram = defineComponent(() => () => h("div", { class: "request-diagram", innerHTML: svg }));
