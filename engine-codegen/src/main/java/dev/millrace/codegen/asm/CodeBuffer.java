package dev.millrace.codegen.asm;

import java.util.Arrays;

/** Bytes that grow at the end and can be patched. */
final class CodeBuffer {
    private byte[] bytes = new byte[1024];
    private int size;

    int size() {
        return size;
    }

    void put(int value) {
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * size);
        }
        bytes[size++] = (byte) value;
    }

    void putInt(int value) {
        put(value);
        put(value >> 8);
        put(value >> 16);
        put(value >> 24);
    }

    void putLong(long value) {
        putInt((int) value);
        putInt((int) (value >> 32));
    }

    int intAt(int at) {
        return bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff) << 16 | bytes[at + 3] << 24;
    }

    void patchInt(int at, int value) {
        bytes[at] = (byte) value;
        bytes[at + 1] = (byte) (value >> 8);
        bytes[at + 2] = (byte) (value >> 16);
        bytes[at + 3] = (byte) (value >> 24);
    }

    void patchByte(int at, int value) {
        bytes[at] = (byte) value;
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }
}
