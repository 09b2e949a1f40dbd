// The interfaces that scripts find, of DOM, HTML and others, with the members that are here.
// [Constant]: read once. [Reflect]: the content attribute of that name. [Data]: kept with the event (the default of its type).

[Exposed=*] interface EventTarget { constructor(); boolean dispatchEvent(Event event); };

[Exposed=*] interface Event {
  constructor(DOMString type, optional EventInit eventInitDict = {});
  [Constant] readonly attribute DOMString type;
  readonly attribute EventTarget? target;
  readonly attribute EventTarget? currentTarget;
  readonly attribute unsigned short eventPhase;
  readonly attribute boolean bubbles;
  readonly attribute boolean cancelable;
  readonly attribute boolean defaultPrevented;
  readonly attribute boolean composed;
  readonly attribute boolean isTrusted;
  [Constant] readonly attribute double timeStamp;
  undefined stopPropagation();
  undefined stopImmediatePropagation();
  undefined preventDefault();
  sequence<EventTarget> composedPath();
  undefined initEvent(DOMString type, optional boolean bubbles, optional boolean cancelable);
  const unsigned short NONE = 0;
  const unsigned short CAPTURING_PHASE = 1;
  const unsigned short AT_TARGET = 2;
  const unsigned short BUBBLING_PHASE = 3;
};
dictionary EventInit { boolean bubbles = false; boolean cancelable = false; boolean composed = false; };

[Exposed=*] interface CustomEvent : Event {
  constructor(DOMString type, optional CustomEventInit eventInitDict = {});
  readonly attribute any detail;
};
dictionary CustomEventInit : EventInit { any detail = null; };

[Exposed=*] interface MessageEvent : Event {
  constructor(DOMString type, optional MessageEventInit eventInitDict = {});
  readonly attribute any data;
  readonly attribute USVString origin;
  readonly attribute DOMString lastEventId;
  readonly attribute any source;
  readonly attribute any ports;
};
dictionary MessageEventInit : EventInit { any data = null; USVString origin = ""; DOMString lastEventId = ""; any source = null; any ports; };

[Exposed=*] interface ErrorEvent : Event {
  constructor(DOMString type, optional ErrorEventInit eventInitDict = {});
  readonly attribute DOMString message;
  readonly attribute USVString filename;
  readonly attribute unsigned long lineno;
  readonly attribute unsigned long colno;
  readonly attribute any error;
};
dictionary ErrorEventInit : EventInit { DOMString message = ""; USVString filename = ""; unsigned long lineno = 0; unsigned long colno = 0; any error; };

[Exposed=*] interface PromiseRejectionEvent : Event {
  constructor(DOMString type, PromiseRejectionEventInit eventInitDict);
  readonly attribute any promise;
  readonly attribute any reason;
};
dictionary PromiseRejectionEventInit : EventInit { required any promise; any reason; };

[Exposed=Window] interface PageTransitionEvent : Event {
  constructor(DOMString type, optional PageTransitionEventInit eventInitDict = {});
  readonly attribute boolean persisted;
};
dictionary PageTransitionEventInit : EventInit { boolean persisted = false; };

[Exposed=Window] interface PopStateEvent : Event {
  constructor(DOMString type, optional PopStateEventInit eventInitDict = {});
  readonly attribute any state;
};
dictionary PopStateEventInit : EventInit { any state = null; };

[Exposed=Window] interface HashChangeEvent : Event {
  constructor(DOMString type, optional HashChangeEventInit eventInitDict = {});
  readonly attribute USVString oldURL;
  readonly attribute USVString newURL;
};
dictionary HashChangeEventInit : EventInit { USVString oldURL = ""; USVString newURL = ""; };

[Exposed=Window] interface FormDataEvent : Event {
  constructor(DOMString type, FormDataEventInit eventInitDict);
  readonly attribute any formData;
};
dictionary FormDataEventInit : EventInit { required any formData; };

[Exposed=Window] interface SubmitEvent : Event {
  constructor(DOMString type, optional SubmitEventInit eventInitDict = {});
  readonly attribute HTMLElement? submitter;
  readonly attribute boolean agentInvoked;
  undefined respondWith(Promise<any> agentResponse);
};
dictionary SubmitEventInit : EventInit { HTMLElement? submitter = null; boolean agentInvoked = false; };

[Exposed=Window] interface UIEvent : Event { constructor(DOMString type, optional EventInit eventInitDict = {}); };
[Exposed=Window] interface FocusEvent : UIEvent { constructor(DOMString type, optional FocusEventInit eventInitDict = {}); readonly attribute any relatedTarget; };
dictionary FocusEventInit : EventInit { any relatedTarget = null; };
[Exposed=Window] interface KeyboardEvent : UIEvent {
  constructor(DOMString type, optional KeyboardEventInit eventInitDict = {});
  readonly attribute DOMString key;
  readonly attribute DOMString code;
  readonly attribute boolean ctrlKey;
  readonly attribute boolean shiftKey;
  readonly attribute boolean altKey;
  readonly attribute boolean metaKey;
  readonly attribute boolean repeat;
};
dictionary KeyboardEventInit : EventInit { DOMString key = ""; DOMString code = ""; boolean ctrlKey = false; boolean shiftKey = false; boolean altKey = false; boolean metaKey = false; boolean repeat = false; };
[Exposed=Window] interface InputEvent : UIEvent { constructor(DOMString type, optional InputEventInit eventInitDict = {}); readonly attribute DOMString? data; readonly attribute DOMString inputType; };
dictionary InputEventInit : EventInit { DOMString? data = null; DOMString inputType = ""; };
[Exposed=Window] interface MouseEvent : UIEvent { constructor(DOMString type, optional EventInit eventInitDict = {}); };
[Exposed=Window] interface PointerEvent : MouseEvent { constructor(DOMString type, optional EventInit eventInitDict = {}); };

[Exposed=*] interface AbortController {
  constructor();
  [Constant] readonly attribute AbortSignal signal;
  undefined abort(optional any reason);
};
[Exposed=*] interface AbortSignal : EventTarget {
  static AbortSignal abort(optional any reason);
  static AbortSignal timeout([EnforceRange] unsigned long long milliseconds);
  static AbortSignal _any(sequence<AbortSignal> signals);
  readonly attribute boolean aborted;
  readonly attribute any reason;
  undefined throwIfAborted();
  attribute EventHandler onabort;
};

[Exposed=*] interface MessageChannel {
  constructor();
  [Constant] readonly attribute MessagePort port1;
  [Constant] readonly attribute MessagePort port2;
};
[Exposed=*] interface MessagePort : EventTarget {
  undefined start();
  undefined close();
  attribute EventHandler onmessage;
  attribute EventHandler onmessageerror;
};

[Exposed=*] interface BroadcastChannel : EventTarget {
  constructor(DOMString name);
  [Constant] readonly attribute DOMString name;
  undefined close();
  attribute EventHandler onmessage;
  attribute EventHandler onmessageerror;
};

[Exposed=Window] interface Node : EventTarget {
  readonly attribute unsigned short nodeType;
  readonly attribute DOMString nodeName;
  readonly attribute boolean isConnected;
  readonly attribute USVString baseURI;
  readonly attribute Document? ownerDocument;
  readonly attribute Node? parentNode;
  readonly attribute Element? parentElement;
  readonly attribute any childNodes;
  readonly attribute Node? firstChild;
  readonly attribute Node? lastChild;
  readonly attribute Node? previousSibling;
  readonly attribute Node? nextSibling;
  attribute LegacyString? nodeValue;
  attribute LegacyString? textContent;
  Node getRootNode();
  boolean contains(Node? other);
  Node appendChild(Node node);
  Node insertBefore(Node node, Node? child);
  Node removeChild(Node child);
  Node cloneNode(optional boolean subtree);
  const unsigned short ELEMENT_NODE = 1;
  const unsigned short TEXT_NODE = 3;
  const unsigned short COMMENT_NODE = 8;
  const unsigned short DOCUMENT_NODE = 9;
  const unsigned short DOCUMENT_FRAGMENT_NODE = 11;
};
[Exposed=Window] interface MutationObserver {
  constructor(MutationCallback callback);
  undefined observe(Node target, optional MutationObserverInit options = {});
  undefined disconnect();
  sequence<MutationRecord> takeRecords();
};
dictionary MutationObserverInit {
  boolean childList = false;
  boolean attributes;
  boolean characterData;
  boolean subtree = false;
  boolean attributeOldValue;
  boolean characterDataOldValue;
  sequence<DOMString> attributeFilter;
};
[Exposed=Window] interface MutationRecord {
  [Constant] readonly attribute DOMString type;
  [Constant] readonly attribute Node target;
  [Constant] readonly attribute any addedNodes;
  [Constant] readonly attribute any removedNodes;
  [Constant] readonly attribute Node? previousSibling;
  [Constant] readonly attribute Node? nextSibling;
  [Constant] readonly attribute DOMString? attributeName;
  [Constant] readonly attribute DOMString? attributeNamespace;
  [Constant] readonly attribute DOMString? oldValue;
};

[Exposed=Window] interface CharacterData : Node {
  attribute LegacyString data;
  readonly attribute unsigned long length;
};
[Exposed=Window] interface Text : CharacterData { constructor(optional DOMString data); };
[Exposed=Window] interface Comment : CharacterData { constructor(optional DOMString data); };
[Exposed=Window] interface DocumentFragment : Node {
  constructor();
  readonly attribute any children;
  Element? querySelector(DOMString selectors);
  any querySelectorAll(DOMString selectors);
};
[Exposed=Window] interface ShadowRoot : DocumentFragment { attribute LegacyString innerHTML; readonly attribute Element host; readonly attribute DOMString mode; };

[Exposed=Window] interface Element : Node {
  readonly attribute DOMString? namespaceURI;
  readonly attribute DOMString localName;
  readonly attribute DOMString tagName;
  [Reflect] attribute DOMString id;
  [Reflect=class] attribute DOMString className;
  readonly attribute any children;
  readonly attribute ShadowRoot? shadowRoot;
  attribute LegacyString innerHTML;
  attribute LegacyString outerHTML;
  DOMString? getAttribute(DOMString qualifiedName);
  undefined setAttribute(DOMString qualifiedName, DOMString value);
  undefined removeAttribute(DOMString qualifiedName);
  boolean hasAttribute(DOMString qualifiedName);
  any getAttributeNames();
  undefined moveBefore(Node node, Node? child);
  undefined scrollIntoView(optional any argument);
  boolean matches(DOMString selectors);
  Element? querySelector(DOMString selectors);
  any querySelectorAll(DOMString selectors);
  any getElementsByTagName(DOMString qualifiedName);
  ShadowRoot attachShadow(ShadowRootInit init);
  any animate(any keyframes, optional any options);
  undefined scroll(any... arguments);
  undefined scrollTo(any... arguments);
  undefined scrollBy(any... arguments);
  any getAttributeNode(DOMString qualifiedName);
  undefined setPointerCapture(long pointerId);
  undefined releasePointerCapture(long pointerId);
};
dictionary ShadowRootInit { required DOMString mode; };

[Exposed=Window] interface HTMLElement : Element {
  [Reflect] attribute DOMString title;
  [Reflect] attribute DOMString lang;
  [Reflect] attribute boolean hidden;
  attribute EventHandler onclick;
  attribute EventHandler onload;
  attribute EventHandler onerror;
  attribute EventHandler onsubmit;
  attribute EventHandler onreset;
  attribute EventHandler oninput;
  attribute EventHandler onchange;
  undefined click();
  undefined focus();
  undefined blur();
  attribute LegacyString innerText;
};
[Exposed=Window] interface HTMLUnknownElement : HTMLElement { };
[Exposed=Window, Tags=(a)] interface HTMLAnchorElement : HTMLElement {
  [Reflect] attribute USVString href;
  [Reflect] attribute DOMString target;
  [Reflect] attribute DOMString download;
  [Reflect] attribute DOMString rel;
  attribute LegacyString text;
};
[Exposed=Window, Tags=(body)] interface HTMLBodyElement : HTMLElement { };
[Exposed=Window, Tags=(details)] interface HTMLDetailsElement : HTMLElement { [Reflect] attribute DOMString name; [Reflect] attribute boolean open; };
[Exposed=Window, Tags=(dialog)] interface HTMLDialogElement : HTMLElement { [Reflect] attribute boolean open; };
[Exposed=Window, Tags=(div)] interface HTMLDivElement : HTMLElement { };
[Exposed=Window, Tags=(head)] interface HTMLHeadElement : HTMLElement { };
[Exposed=Window, Tags=(h1, h2, h3, h4, h5, h6)] interface HTMLHeadingElement : HTMLElement { };
[Exposed=Window, Tags=(html)] interface HTMLHtmlElement : HTMLElement { };
[Exposed=Window, Tags=(img)] interface HTMLImageElement : HTMLElement {
  [Reflect] attribute USVString src;
  [Reflect] attribute DOMString alt;
  [Reflect] attribute DOMString srcset;
  [Reflect] attribute DOMString loading;
};
[Exposed=Window, Tags=(li)] interface HTMLLIElement : HTMLElement { };
[Exposed=Window, Tags=(link)] interface HTMLLinkElement : HTMLElement { [Reflect] attribute USVString href; [Reflect] attribute DOMString rel; [Reflect] attribute DOMString type; };
[Exposed=Window, Tags=(meta)] interface HTMLMetaElement : HTMLElement { [Reflect] attribute DOMString name; [Reflect] attribute DOMString content; [Reflect=http-equiv] attribute DOMString httpEquiv; };
[Exposed=Window, Tags=(ol)] interface HTMLOListElement : HTMLElement { };
[Exposed=Window, Tags=(p)] interface HTMLParagraphElement : HTMLElement { };
[Exposed=Window, Tags=(slot)] interface HTMLSlotElement : HTMLElement { [Reflect] attribute DOMString name; };
[Exposed=Window, Tags=(span)] interface HTMLSpanElement : HTMLElement { };
[Exposed=Window, Tags=(style)] interface HTMLStyleElement : HTMLElement { [Reflect] attribute DOMString type; };
[Exposed=Window, Tags=(table)] interface HTMLTableElement : HTMLElement { };
[Exposed=Window, Tags=(td, th)] interface HTMLTableCellElement : HTMLElement { };
[Exposed=Window, Tags=(tr)] interface HTMLTableRowElement : HTMLElement { };
[Exposed=Window, Tags=(tbody, tfoot, thead)] interface HTMLTableSectionElement : HTMLElement { };
[Exposed=Window, Tags=(title)] interface HTMLTitleElement : HTMLElement { attribute LegacyString text; };
[Exposed=Window, Tags=(ul)] interface HTMLUListElement : HTMLElement { };
[Exposed=Window] interface HTMLIFrameElement : HTMLElement {
  [Reflect] attribute USVString src;
  [Reflect] attribute DOMString srcdoc;
  [Reflect] attribute DOMString name;
  [Reflect] attribute DOMString allow;
  [Reflect] attribute DOMString sandbox;
  readonly attribute Document? contentDocument;
  readonly attribute any contentWindow;
};
[Exposed=Window] interface HTMLScriptElement : HTMLElement {
  [Reflect] attribute USVString src;
  [Reflect] attribute DOMString type;
  attribute boolean async;
  [Reflect] attribute boolean defer;
  [Reflect] attribute boolean noModule;
  attribute LegacyString text;
};
[Exposed=Window] interface HTMLFormElement : HTMLElement {
  [Reflect] attribute DOMString name;
  [Reflect] attribute USVString action;
  [Reflect] attribute DOMString target;
  [Reflect] attribute boolean noValidate;
  readonly attribute any elements;
  readonly attribute unsigned long length;
  undefined submit();
  undefined requestSubmit(optional HTMLElement? submitter);
  undefined reset();
  boolean checkValidity();
  boolean reportValidity();
};
[Exposed=Window] interface HTMLInputElement : HTMLElement {
  attribute LegacyString value;
  attribute boolean checked;
  [Reflect] attribute DOMString name;
  [Reflect] attribute DOMString type;
  [Reflect=value] attribute DOMString defaultValue;
  [Reflect] attribute boolean disabled;
  [Reflect] attribute boolean required;
  [Reflect] attribute DOMString placeholder;
  [Reflect] attribute DOMString min;
  [Reflect] attribute DOMString max;
  [Reflect] attribute DOMString step;
  [Reflect] attribute DOMString pattern;
  [Reflect] attribute boolean readOnly;
  [Reflect] attribute boolean multiple;
  [Reflect=checked] attribute boolean defaultChecked;
  readonly attribute any validity;
  readonly attribute DOMString validationMessage;
  readonly attribute boolean willValidate;
  boolean checkValidity();
  boolean reportValidity();
  undefined setCustomValidity(DOMString error);
  readonly attribute any labels;
  readonly attribute HTMLFormElement? form;
};
[Exposed=Window] interface HTMLTextAreaElement : HTMLElement {
  attribute LegacyString value;
  [Reflect] attribute DOMString name;
  [Reflect] attribute DOMString placeholder;
  [Reflect] attribute boolean disabled;
  [Reflect] attribute boolean readOnly;
  [Reflect] attribute boolean required;
  readonly attribute any validity;
  readonly attribute DOMString validationMessage;
  readonly attribute boolean willValidate;
  boolean checkValidity();
  boolean reportValidity();
  undefined setCustomValidity(DOMString error);
  readonly attribute any labels;
  readonly attribute HTMLFormElement? form;
};
[Exposed=Window] interface HTMLSelectElement : HTMLElement {
  [Reflect] attribute DOMString name;
  attribute long selectedIndex;
  [Reflect] attribute boolean disabled;
  [Reflect] attribute boolean required;
  [Reflect] attribute boolean multiple;
  readonly attribute any options;
  readonly attribute any validity;
  readonly attribute DOMString validationMessage;
  readonly attribute boolean willValidate;
  boolean checkValidity();
  boolean reportValidity();
  undefined setCustomValidity(DOMString error);
  readonly attribute any labels;
  readonly attribute HTMLFormElement? form;
};
[Exposed=Window] interface HTMLOptionElement : HTMLElement {
  attribute boolean selected;
  [Reflect=selected] attribute boolean defaultSelected;
  [Reflect] attribute boolean disabled;
  [Reflect] attribute DOMString value;
  attribute DOMString text;
  [Reflect] attribute DOMString label;
};
[Exposed=Window] interface HTMLOptGroupElement : HTMLElement { [Reflect] attribute boolean disabled; [Reflect] attribute DOMString label; };
[Exposed=Window] interface HTMLDataListElement : HTMLElement { };
[Exposed=Window] interface HTMLButtonElement : HTMLElement { [Reflect] attribute DOMString name; [Reflect] attribute DOMString value; [Reflect] attribute boolean disabled; readonly attribute HTMLFormElement? form; };
[Exposed=Window] interface HTMLFieldSetElement : HTMLElement { [Reflect] attribute DOMString name; [Reflect] attribute boolean disabled; };
[Exposed=Window] interface HTMLLegendElement : HTMLElement { };
[Exposed=Window] interface HTMLLabelElement : HTMLElement { [Reflect=for] attribute DOMString htmlFor; };
[Exposed=Window] interface HTMLObjectElement : HTMLElement { };
[Exposed=Window] interface HTMLOutputElement : HTMLElement { [Reflect] attribute DOMString name; attribute DOMString value; attribute DOMString defaultValue; readonly attribute HTMLFormElement? form; };
[Exposed=Window] interface HTMLTemplateElement : HTMLElement { readonly attribute DocumentFragment content; };

[Exposed=Window] interface Document : Node {
  readonly attribute USVString URL;
  readonly attribute USVString documentURI;
  readonly attribute DOMString readyState;
  readonly attribute Element? documentElement;
  readonly attribute HTMLElement? head;
  readonly attribute HTMLElement? body;
  readonly attribute Element? activeElement;
  readonly attribute Element? currentScript;
  readonly attribute any defaultView;
  readonly attribute any implementation;
  [PutForwards=href] readonly attribute Location? location;
  readonly attribute any children;
  Element createElement(DOMString localName);
  Element createElementNS(DOMString? namespace, DOMString qualifiedName);
  Text createTextNode(DOMString data);
  Comment createComment(DOMString data);
  DocumentFragment createDocumentFragment();
  Node importNode(Node node, optional boolean subtree);
  Node adoptNode(Node node);
  Element? getElementById(DOMString elementId);
  Element? querySelector(DOMString selectors);
  any querySelectorAll(DOMString selectors);
  any getElementsByTagName(DOMString qualifiedName);
  any createNodeIterator(Node root, optional unsigned long whatToShow, optional any filter);
  any createAttribute(DOMString localName);
  Element? elementFromPoint(double x, double y);
  boolean execCommand(DOMString commandId, optional boolean showUI, optional DOMString value);
  any getSelection();
  readonly attribute any styleSheets;
  readonly attribute any doctype;
  Document open(optional DOMString unused1, optional DOMString unused2);
  undefined close();
  undefined write(DOMString... text);
  undefined writeln(DOMString... text);
  attribute EventHandler onreadystatechange;
  attribute EventHandler onclick;
};
[Exposed=Window] interface HTMLDocument : Document { };
[Exposed=Window] interface XMLDocument : Document { };

[Exposed=Window] interface Location {
  attribute USVString href;
  readonly attribute USVString origin;
  undefined assign(USVString url);
  undefined replace(USVString url);
  undefined reload();
  stringifier;
};
[Exposed=Window] interface History {
  readonly attribute unsigned long length;
  readonly attribute any state;
  undefined go(optional long delta);
  undefined back();
  undefined forward();
};
[Exposed=Window] interface Storage {
  readonly attribute unsigned long length;
  DOMString? key(unsigned long index);
  DOMString? getItem(DOMString key);
  undefined setItem(DOMString key, DOMString value);
  undefined removeItem(DOMString key);
  undefined clear();
};
[Exposed=Window] interface Navigator {
};

[Global=Window, Exposed=Window] interface Window : EventTarget {
  [Constant] readonly attribute Document document;
  [Constant] readonly attribute Navigator navigator;
  [Constant] readonly attribute History history;
  [PutForwards=href, Constant] readonly attribute Location location;
  readonly attribute Storage localStorage;
  readonly attribute Storage sessionStorage;
  [Replaceable] readonly attribute any parent;
  readonly attribute any top;
  attribute any opener;
  [Replaceable] readonly attribute unsigned long length;
  attribute DOMString name;
  readonly attribute boolean closed;
  readonly attribute Element? frameElement;
  [Replaceable] readonly attribute USVString origin;
  readonly attribute boolean isSecureContext;
  readonly attribute boolean originAgentCluster;
  any open(optional USVString url, optional DOMString target, optional LegacyString features);
  undefined close();
  undefined focus();
  undefined blur();
  undefined stop();
  undefined scroll(any... arguments);
  undefined scrollTo(any... arguments);
  undefined scrollBy(any... arguments);
  undefined print();
  undefined moveTo(long x, long y);
  undefined resizeTo(long width, long height);
  undefined reportError(any e);
  attribute EventHandler onload;
  attribute EventHandler onerror;
  attribute EventHandler onmessage;
  attribute EventHandler onpagehide;
  attribute EventHandler onpageshow;
  attribute EventHandler onhashchange;
  attribute EventHandler onpopstate;
  attribute EventHandler onunhandledrejection;
  attribute EventHandler onrejectionhandled;
  attribute EventHandler onclick;
};
