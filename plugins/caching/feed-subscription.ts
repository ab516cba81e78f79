/**
 * The subscription of a cache that outlives a reload: from the first `attach` to the last detach. A reload attaches the new
 * plugin before it detaches the old, so that no change is missed.
 */
export class FeedSubscription {
  #attached = 0;
  #unsubscribe = () => {};

  /**
   * @param subscribe called where there is no subscription, so that changes before it were missed; returns what ends it
   * @returns what detaches
   */
  attach(subscribe: () => () => void): () => void {
    if (this.#attached === 0) this.#unsubscribe = subscribe();
    this.#attached += 1;
    let isAttached = true;
    return () => {
      if (!isAttached) return;
      isAttached = false;
      this.#attached -= 1;
      if (this.#attached === 0) this.#unsubscribe();
    };
  }
}
