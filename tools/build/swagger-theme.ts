/**
 * Improves the accessibility of Swagger UI: contrast as required by WCAG 2.2, section 1.4.3, no text below 12 pixels,
 * and readable tables on phones. Swagger UI has dark colors of its own in the class `dark-mode`.
 */
export const style = `
.swagger-ui a.link, .swagger-ui .info a, .swagger-ui .info a .url { color: #1c62b5; }
.swagger-ui .info .title small { background: #5c6370; }
.swagger-ui .info .title small.version-stamp { background: #47690a; }
.swagger-ui .btn.authorize { color: #13744a; border-color: #13744a; }
.swagger-ui .btn.authorize svg { fill: #13744a; }
.swagger-ui .btn.execute { background: #1c62b5; border-color: #1c62b5; }
.swagger-ui .btn.try-out__btn.cancel { color: #c11f1f; border-color: #c11f1f; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #13744a; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #9a5300; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6b62; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1c62b5; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #c11f1f; }
.swagger-ui .parameter__in, .swagger-ui .prop-format { color: #5c5c5c; }
.swagger-ui .json-schema-2020-12-expand-deep-button { color: #5c5c5c; }
.swagger-ui .microlight [style*="211, 99, 99"] { color: #f29b9b !important; }
.swagger-ui .response-control-media-type small, .swagger-ui .response-control-examples small,
.swagger-ui .response-control-media-type small code { font-size: 12px; }
html.dark-mode body { background: #1c2022; }
html.dark-mode .swagger-ui a.link, html.dark-mode .swagger-ui .info a, html.dark-mode .swagger-ui .info a .url { color: #6cb2ff; }
html.dark-mode .swagger-ui .btn.authorize { color: #5fd39b; border-color: #5fd39b; }
html.dark-mode .swagger-ui .btn.authorize svg { fill: #5fd39b; }
html.dark-mode .swagger-ui .opblock .btn.try-out__btn.cancel { color: #ff8f8f; border-color: #ff8f8f; }
html.dark-mode .swagger-ui .parameter__in, html.dark-mode .swagger-ui .prop-format { color: #b7bcbf; }
html.dark-mode .swagger-ui .header-col, html.dark-mode .swagger-ui .examples-select__section-label { color: #e4e6e6; }
@media (max-width: 640px) {
  .swagger-ui .table-container, .swagger-ui .responses-inner { padding: 12px; }
  .swagger-ui table.parameters > thead, .swagger-ui table.responses-table > thead { display: none; }
  .swagger-ui table.parameters > tbody > tr, .swagger-ui table.responses-table > tbody > tr { display: block; padding: 8px 0; }
  .swagger-ui table.parameters > tbody > tr > td, .swagger-ui table.responses-table > tbody > tr > td { display: block; width: auto; min-width: 0; max-width: none; padding: 4px 0; }
  .swagger-ui table.responses-table > tbody > tr > td.response-col_links { display: none; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { width: 100%; max-width: none; }
}
`;

/** Follows the color scheme of the device, also while the page is open. */
export const script = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;
