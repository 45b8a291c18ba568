/* A page that was opened as a file may not start a worker. This one lives in a hidden frame instead, so that the search
   runs without a server. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = data => this.answer(data)
      inside.importScripts = (...scripts) => scripts.reduce((before, src) => before.then(() => load(src)), Promise.resolve())
      const load = src => new Promise((done, failed) => {
        const script = inside.document.createElement("script")
        script.src = src
        script.onload = done
        script.onerror = failed
        inside.document.body.append(script)
      })
      this.ready = load(url)
    }

    answer(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      if (this.onmessage) this.onmessage(event)
    }

    postMessage(data) {
      const inside = this.frame.contentWindow
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
