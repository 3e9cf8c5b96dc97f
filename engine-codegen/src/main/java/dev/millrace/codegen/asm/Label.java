package dev.millrace.codegen.asm;

import java.util.Arrays;

/** A place in the code of one assembler. It may be jumped to before it is bound, and is bound once. */
public final class Label {
    private static final int UNBOUND = -1;

    private int position = UNBOUND;
    private int[] waiting = new int[2];
    private int waitingCount;

    boolean bound() {
        return position != UNBOUND;
    }

    /** Bytes from the start of the code. */
    public int position() {
        if (!bound()) {
            throw new IllegalStateException("the label is not bound");
        }
        return position;
    }

    /** A four-byte distance at {@code site} waits for this label. */
    void await(int site) {
        add(site << 1);
    }

    /** A one-byte distance at {@code site} waits for this label. */
    void awaitShort(int site) {
        add(site << 1 | 1);
    }

    private void add(int entry) {
        if (waitingCount == waiting.length) {
            waiting = Arrays.copyOf(waiting, 2 * waitingCount);
        }
        waiting[waitingCount++] = entry;
    }

    boolean awaited() {
        return waitingCount > 0;
    }

    void bind(CodeBuffer code) {
        if (bound()) {
            throw new IllegalStateException("the label is bound already, at " + position);
        }
        position = code.size();
        for (int i = 0; i < waitingCount; i++) {
            int site = waiting[i] >> 1;
            if ((waiting[i] & 1) == 0) {
                code.patchInt(site, code.intAt(site) + position - (site + 4));
            } else {
                int distance = position - (site + 1);
                if (distance > Byte.MAX_VALUE) {
                    throw new IllegalStateException(
                            "a short jump at " + site + " cannot reach its label at " + position + ": use a near one");
                }
                code.patchByte(site, distance);
            }
        }
        waitingCount = 0;
    }
}
