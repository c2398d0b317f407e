/* A page of its own around the SVG. Without scripts it shows the picture; with them, pointing at a wire lights up its axis
 * everywhere, the wheel zooms and dragging moves. */
#include "draw/drawing.h"

static const char page_style[] =
    "html,body{margin:0;height:100%}body{display:flex;flex-direction:column;font:14px/1.4 system-ui,sans-serif}"
    "header{padding:10px 16px;display:flex;gap:16px;align-items:baseline;flex-wrap:wrap}"
    "h1{font-size:16px;margin:0}p{margin:0;opacity:.7}"
    "main{flex:1;min-height:0;overflow:auto}svg{display:block;margin:auto;max-width:100%;height:auto}"
    "[data-axis]{transition:stroke-width .1s}svg.lit .w [data-axis]:not(.on),svg.lit path.d:not(.on){opacity:.25}"
    ".w path.on{stroke-width:52px!important}text.on{font-weight:700}"
    "g[id^=n]:hover .f,g[id^=n]:hover .g{stroke-width:36px}";

static const char page_script[] =
    "(function(){var s=document.querySelector('svg'),hint=document.querySelector('p'),b=s.viewBox.baseVal,"
    "home=[b.x,b.y,b.width,b.height],from=null;"
    "hint.textContent='Point at a wire to follow its axis; wheel to zoom, drag to move, double-click to reset.';"
    "function light(axis){s.classList.toggle('lit',axis!==null);s.querySelectorAll('.on').forEach(function(e){"
    "e.classList.remove('on')});if(axis!==null)s.querySelectorAll('[data-axis=\"'+axis+'\"],.d.a'+axis).forEach("
    "function(e){e.classList.add('on')})}"
    "s.addEventListener('mouseover',function(e){var a=e.target.closest('[data-axis]');"
    "light(a?a.getAttribute('data-axis'):null)});s.addEventListener('mouseleave',function(){light(null)});"
    "s.addEventListener('wheel',function(e){e.preventDefault();var r=s.getBoundingClientRect(),"
    "k=Math.pow(1.0015,e.deltaY),x=b.x+(e.clientX-r.left)/r.width*b.width,y=b.y+(e.clientY-r.top)/r.height*b.height;"
    "k=Math.min(Math.max(k,home[2]/40/b.width),2*home[2]/b.width);"
    "b.x=x-(x-b.x)*k;b.y=y-(y-b.y)*k;b.width*=k;b.height*=k},{passive:false});"
    "s.addEventListener('pointerdown',function(e){from=[e.clientX,e.clientY,b.x,b.y]});"
    "window.addEventListener('pointerup',function(){from=null});"
    "window.addEventListener('pointermove',function(e){if(!from)return;var r=s.getBoundingClientRect();"
    "b.x=from[2]-(e.clientX-from[0])/r.width*b.width;b.y=from[3]-(e.clientY-from[1])/r.height*b.height});"
    "s.addEventListener('dblclick',function(){b.x=home[0];b.y=home[1];b.width=home[2];b.height=home[3]});"
    "s.addEventListener('mousedown',function(e){e.preventDefault()});s.style.cursor='grab'})();";

static void put_colours(met_text *out, const met_palette *p)
{
    met_text_format(out, "body{background:#%06x;color:#%06x}", (unsigned)p->colour[MET_COLOUR_paper],
                    (unsigned)p->colour[MET_COLOUR_ink]);
}

void met_html_print(met_text *out, const met_drawing *d)
{
    met_str name = met_sym_str(d->circuit->session, d->circuit->name);
    name = name.length ? name : met_str_of("circuit");
    met_text_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    met_xml_put(out, name);
    met_text_put(out, "</title>\n<style>");
    met_text_put(out, page_style);
    put_colours(out, &d->theme.light);
    met_text_put(out, "@media(prefers-color-scheme:dark){");
    put_colours(out, &d->theme.dark);
    met_text_put(out, "}</style>\n</head>\n<body>\n<header><h1>");
    met_xml_put(out, name);
    met_text_put(out, "</h1><p>Time runs from left to right; one wire for each axis.</p></header>\n<main>\n");
    met_svg_print(out, d);
    met_text_put(out, "</main>\n<script>");
    met_text_put(out, page_script);
    met_text_put(out, "</script>\n</body>\n</html>\n");
}
