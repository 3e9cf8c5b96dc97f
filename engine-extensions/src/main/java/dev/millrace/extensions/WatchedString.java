package dev.millrace.extensions;

import dev.millrace.scheduler.kernel.DynamicContext;

/** A text whose reader stops when the run is cancelled: a pattern may read it very often. */
final class WatchedString implements CharSequence {
    private final CharSequence text;
    private final DynamicContext context;
    private long reads;

    WatchedString(CharSequence text, DynamicContext context) {
        this.text = text;
        this.context = context;
    }

    @Override
    public char charAt(int index) {
        context.checkCancelled(reads++);
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
