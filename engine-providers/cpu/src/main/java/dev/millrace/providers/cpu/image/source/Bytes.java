package dev.millrace.providers.cpu.image.source;

/** A part of a file, read in order; reading beyond its end throws. */
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

    /** @param check throws where nobody waits for the image any more */
    public static Bytes of(byte[] file, Runnable check) {
        return new Bytes(file, 0, file.length, check);
    }

    /** Bytes of the same file that were put together. */
    public Bytes joined(byte[] parts) {
        return new Bytes(parts, 0, parts.length, check);
    }

    /** Throws where nobody waits for the image any more. Decoders call it for every few thousand pixels. */
    public void check() {
        check.run();
    }

    public int remaining() {
        return end - at;
    }

    /** Where the next byte lies in {@link #array}. */
    public int position() {
        return at;
    }

    /** The whole file, to read from {@link #position} on. */
    public byte[] array() {
        return file;
    }

    /** The next {@code length} bytes as a part of its own, which this one has then passed. */
    public Bytes take(long length) {
        skip(length);
        return new Bytes(file, at - (int) length, at, check);
    }

    /** What is left, as a part of its own; this one stays where it is. */
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

    /** The next octet, which stays the next one; -1 at the end. */
    public int peek() {
        return at < end ? file[at] & 255 : -1;
    }

    /** Two octets, the more significant one first. */
    public int big16() {
        return octet() << 8 | octet();
    }

    /** Four octets, the most significant one first, without a sign. */
    public long big32() {
        return (long) big16() << 16 | big16();
    }

    /** Two octets, the less significant one first. */
    public int little16() {
        return octet() | octet() << 8;
    }

    /** Three octets, the least significant one first. */
    public int little24() {
        return little16() | octet() << 16;
    }

    /** Four octets, the least significant one first, without a sign. */
    public long little32() {
        return little24() | (long) octet() << 24;
    }
}
