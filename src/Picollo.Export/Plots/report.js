plotTooltips(document.querySelector(".plots"));
