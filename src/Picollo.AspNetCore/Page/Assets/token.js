// Posts the token from the address, and removes it from the address bar and the history.
(() => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.querySelector("form");
  form.elements.token.value = token;
  form.submit();
})();
