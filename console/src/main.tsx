import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/parts.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Entrance } from "./session/entrance.tsx";

const place = document.getElementById("console");
if (place === null) throw new Error("The page has no place for the console.");
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <Entrance />
    </CSPProvider>
  </StrictMode>,
);
