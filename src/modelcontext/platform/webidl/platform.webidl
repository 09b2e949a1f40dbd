// The interfaces and dictionaries of other standards that the specification's own IDL names, as far as the bindings need
// them. DOM (Event, EventTarget, AbortController, AbortSignal, Document) and HTML (EventHandler, Navigator, SubmitEvent, Window).

[Exposed=*]
interface Event {
  constructor(DOMString type, optional EventInit eventInitDict = {});
  readonly attribute DOMString type;
  readonly attribute EventTarget? target;
  readonly attribute EventTarget? currentTarget;
  readonly attribute boolean bubbles;
  readonly attribute boolean cancelable;
  readonly attribute boolean defaultPrevented;
  readonly attribute boolean composed;
  [LegacyUnforgeable] readonly attribute boolean isTrusted;
  undefined stopPropagation();
  undefined stopImmediatePropagation();
  undefined preventDefault();
};

dictionary EventInit {
  boolean bubbles = false;
  boolean cancelable = false;
  boolean composed = false;
};

[Exposed=*]
interface EventTarget {
  constructor();
  undefined addEventListener(DOMString type, EventListener? callback);
  undefined removeEventListener(DOMString type, EventListener? callback);
  boolean dispatchEvent(Event event);
};

callback interface EventListener {
  undefined handleEvent(Event event);
};

[LegacyTreatNonObjectAsNull]
callback EventHandlerNonNull = any (Event event);
typedef EventHandlerNonNull? EventHandler;

[Exposed=*]
interface AbortController {
  constructor();
  [SameObject] readonly attribute AbortSignal signal;
  undefined abort(optional any reason);
};

[Exposed=*]
interface AbortSignal : EventTarget {
  [NewObject] static AbortSignal abort(optional any reason);
  [NewObject] static AbortSignal _any(sequence<AbortSignal> signals);
  readonly attribute boolean aborted;
  readonly attribute any reason;
  undefined throwIfAborted();
  attribute EventHandler onabort;
};

[Global=Window, Exposed=Window]
interface Window : EventTarget {
  [LegacyUnforgeable] readonly attribute Document document;
  readonly attribute Navigator navigator;
};

[Exposed=Window]
interface Document {
};

[Exposed=Window]
interface Navigator {
};

[Exposed=Window]
interface SubmitEvent : Event {
  constructor(DOMString type, optional SubmitEventInit eventInitDict = {});
};

dictionary SubmitEventInit : EventInit {
};
