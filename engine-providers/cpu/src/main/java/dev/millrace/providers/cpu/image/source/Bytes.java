package dev.millrace.providers.cpu.image.source;

/** A part of a file, read in order. Reading beyond its end throws. */
public final class Bytes {
    private final byte[] file;
    private final int end;
    private final Runnable check;
    private int at;

    private Bytes(byte[] file, int at, int end, Runnable check) {
        this.file = file;
        this.at = at;
        this.end = end;
        this.check = check;
    }

    /** @param check throws where the run is cancelled */
    public static Bytes of(byte[] file, Runnable check) {
        return new Bytes(file, 0, file.length, check);
    }

    /** Returns a reader of bytes that were joined from parts of the same file. */
    public Bytes joined(byte[] parts) {
        return new Bytes(parts, 0, parts.length, check);
    }

    /** Throws where the run is cancelled. Decoders call it for every few thousand pixels. */
    public void check() {
        check.run();
    }

    public int remaining() {
        return end - at;
    }

    /** The index of the next byte in {@link #array}. */
    public int position() {
        return at;
    }

    /** The array of the whole file, to be read from {@link #position} on. */
    public byte[] array() {
        return file;
    }

    /** Returns the next {@code length} bytes as a reader of their own, and skips them here. */
    public Bytes take(long length) {
        skip(length);
        return new Bytes(file, at - (int) length, at, check);
    }

    /** Returns the remaining bytes as a reader of their own; this one does not move. */
    public Bytes rest() {
        return new Bytes(file, at, end, check);
    }

    public void skip(long length) {
        if (length < 0 || length > remaining()) {
            throw new IllegalArgumentException(
                    length + " more bytes belong to what begins at byte " + at + "; " + remaining() + " are there");
        }
        at += (int) length;
    }

    public int octet() {
        skip(1);
        return file[at - 1] & 255;
    }

    /** Returns the next octet without reading it; -1 at the end. */
    public int peek() {
        return at < end ? file[at] & 255 : -1;
    }

    /** Reads two octets, the more significant one first. */
    public int big16() {
        return octet() << 8 | octet();
    }

    /** Reads four octets, the most significant one first, as an unsigned number. */
    public long big32() {
        return (long) big16() << 16 | big16();
    }

    /** Reads two octets, the less significant one first. */
    public int little16() {
        return octet() | octet() << 8;
    }

    /** Reads three octets, the least significant one first. */
    public int little24() {
        return little16() | octet() << 16;
    }

    /** Reads four octets, the least significant one first, as an unsigned number. */
    public long little32() {
        return little24() | (long) octet() << 24;
    }
}
