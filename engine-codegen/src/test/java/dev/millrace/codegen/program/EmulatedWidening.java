package dev.millrace.codegen.program;

/** The instructions that widen one or two narrow elements to 32 bits. */
final class EmulatedWidening {
    private EmulatedWidening() {}

    /** Returns the number of bytes of a narrow element, or 0 if the instruction is another one. */
    static int bytes(String name) {
        return switch (name) {
            case "vpmovzxbd", "vpmovsxbd", "vpmovzxbw", "vpmovsxbw" -> 1;
            case "vpmovzxwd", "vpmovsxwd", "vcvtph2ps" -> 2;
            default -> 0;
        };
    }

    static int perLane(String name) {
        return name.endsWith("bw") ? 2 : 1;
    }

    static int lane(String name, int first, int second) {
        return switch (name) {
            case "vpmovsxbd" -> (byte) first;
            case "vpmovsxwd" -> (short) first;
            case "vpmovzxbw" -> first | second << 16;
            case "vpmovsxbw" -> (byte) first & 0xffff | (byte) second << 16;
            case "vcvtph2ps" -> Float.floatToRawIntBits(Float.float16ToFloat((short) first));
            default -> first;
        };
    }
}
