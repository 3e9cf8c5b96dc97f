package dev.millrace.graph.ir;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A text for people. It stays the file's bytes until somebody reads it: exporters write the stack of every call into a model,
 * and no session asks for those. What is no UTF-8 goes out as it came in.
 */
public final class DocString {
    public static final DocString NONE = new DocString(MemorySegment.NULL);

    private final MemorySegment utf8;

    private DocString(MemorySegment utf8) {
        this.utf8 = utf8;
    }

    /** A text over bytes that stay what they are. */
    public static DocString wrap(MemorySegment utf8) {
        return utf8.byteSize() == 0 ? NONE : new DocString(utf8);
    }

    public static DocString of(String text) {
        return wrap(MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
    }

    public boolean isEmpty() {
        return utf8.byteSize() == 0;
    }

    /** The bytes themselves, not a copy. */
    public MemorySegment bytes() {
        return utf8.asReadOnly();
    }

    /** The text; bytes that are no UTF-8 become replacement characters. */
    public String text() {
        return isEmpty() ? "" : new String(utf8.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DocString same && utf8.mismatch(same.utf8) == -1;
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
