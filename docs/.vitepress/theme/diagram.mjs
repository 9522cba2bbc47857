import mermaidUrl from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";

let loading;
let drawn = 0;

/** A diagram in Mermaid, drawn in the reader's browser. Mermaid is a file of the site, loaded by pages that have a diagram. */
export const Diagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const text = decodeURIComponent(props.source);
    const svg = ref("");

    async function draw() {
      const mermaid = await loadMermaid();
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        look: "classic",
        fontFamily: "inherit",
      });
      drawn += 1;
      ({ svg: svg.value } = await mermaid.render(`diagram-${drawn}`, text));
    }

    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === ""
        ? h("pre", { class: "diagram" }, text)
        : h("div", { class: "diagram", role: "img", innerHTML: svg.value });
  },
});

/** The file sets a global: it is no module. */
function loadMermaid() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = mermaidUrl;
    script.onload = () => resolve(window.mermaid);
    script.onerror = () => reject(new Error("the program that draws diagrams was not loaded"));
    document.head.append(script);
  });
  return loading;
}
