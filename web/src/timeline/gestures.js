// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Wheel, mouse and fingers on a timeline: what they do to its range and its choice.

export class Gestures {
  /** Listens to the canvas of a view; `pointers` are those that are down. */
  constructor(view) {
    this.view = view;
    this.pointers = new Map();
    const {box, canvas} = view;
    box.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => this.release(event));
    canvas.addEventListener('pointerleave', () => {
      view.state.cursor = null;
      view.redraw();
    });
    canvas.addEventListener('dblclick', (event) => {
      view.range.zoom(0.25, view.timeOf(event));
      view.changed();
    });
  }

  wheel(event) {
    const held = event.ctrlKey || event.metaKey;
    if (!held && document.activeElement !== this.view.box) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.view.range.pan((event.deltaX || event.deltaY) / this.view.plotWidth);
    else this.view.range.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), this.view.timeOf(event));
    this.view.changed();
  }

  press(event) {
    this.view.box.focus({preventScroll: true});
    this.view.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    this.start = {x: event.clientX, from: this.view.range.from, to: this.view.range.to, time: this.view.timeOf(event), select: event.shiftKey};
    if (this.pointers.size === 2) this.start.distance = this.distance();
  }

  distance() {
    const [a, b] = [...this.pointers.values()];
    return Math.max(10, Math.abs(a.clientX - b.clientX));
  }

  move(event) {
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, event);
    if (this.pointers.size === 2) this.pinch();
    else if (this.pointers.size === 1) this.drag(event);
    else this.view.hover(event);
  }

  pinch() {
    const [a, b] = [...this.pointers.values()];
    const {from, to, distance} = this.start;
    const length = ((to - from) * distance) / this.distance();
    const centre = ((a.clientX + b.clientX) / 2 - this.view.canvas.getBoundingClientRect().left - this.view.gutter) / this.view.plotWidth;
    const middle = from + centre * (to - from);
    this.view.range.set(middle - centre * length, middle - centre * length + length);
    this.view.changed();
  }

  drag(event) {
    if (this.start.select) {
      this.view.state.selection = [this.start.time, this.view.timeOf(event)].sort((a, b) => a - b);
      this.view.redraw();
      return;
    }
    const shift = ((event.clientX - this.start.x) / this.view.plotWidth) * (this.start.to - this.start.from);
    this.view.range.set(this.start.from - shift, this.start.to - shift);
    this.view.changed();
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    const {selection} = this.view.state;
    this.view.state.selection = null;
    if (selection && selection[1] > selection[0]) {
      this.view.range.set(...selection);
      this.view.changed();
    } else if (this.start && Math.abs(event.clientX - this.start.x) < 4) {
      this.view.choose(this.view.rowOf(event), this.view.timeOf(event));
    }
    this.view.redraw();
  }
}
