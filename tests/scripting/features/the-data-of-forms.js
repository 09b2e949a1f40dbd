root.innerHTML = `<form id=f action="/to?x=1"><input name=a value="1"><input name=a value="2" disabled><input value=3>
  <input type=checkbox name=b><input type=checkbox name=c checked><input type=radio name=d value=x checked>
  <textarea name=e>t</textarea><select name=g multiple><option selected>u<option value=v selected><option>w</select>
  <button name=h value=i></button><input type=file name=k><output name=m>n</output></form>`;
f.addEventListener("formdata", ({ formData, bubbles }) => {
  formData.append("last", bubbles);
});
const data = new FormData(f);
log.push([...data].map(([name, value]) => [name, typeof value === "string" ? value : [value.name, value.size]]));
log.push([...new FormData(f, f.querySelector("button")).keys()], data.get("a"), data.getAll("g"), data.has("x"));
data.set("g", "one");
data.append("g", "two");
data.delete("k");
log.push([...data.entries()], String(new URLSearchParams(data)), Object.fromEntries(data).g);
threw(() => new FormData({}));
threw(() => new FormData(f, i));
log.push([f.method, f.querySelector("select").type, f.querySelector("textarea").type]);
