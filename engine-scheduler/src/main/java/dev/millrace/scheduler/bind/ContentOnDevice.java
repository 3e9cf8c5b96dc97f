package dev.millrace.scheduler.bind;

/** Thrown where the first step of a stretch needs the content of a value that lies on a device. */
public final class ContentOnDevice extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int slot;

    ContentOnDevice(int slot) {
        super("a content lies on a device", null, false, false);
        this.slot = slot;
    }

    public int slot() {
        return slot;
    }
}
