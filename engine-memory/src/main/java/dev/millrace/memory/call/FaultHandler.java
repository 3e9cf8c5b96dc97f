package dev.millrace.memory.call;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The machine code of the handler of SIGBUS that {@link dev.millrace.memory.MappingGuard} installs. It stands here as bytes, so that
 * mapping a file needs no assembler; its instructions stand in engine-codegen's {@code FaultHandlerTest}, which holds
 * the two together.
 */
public final class FaultHandler {
    private static final String CODE = ""
            + "8b460883f8020f8546000000488b46104c8b05a9000000498b084d8d48404885"
            + "c90f842b0000004d8b114c39d00f82160000004d8b59084c39d80f8309000000"
            + "4d3b110f84120000004983c12048ffc975d5488b056f000000ffe041c7c20100"
            + "00004d0151105756524889c74881e700f0ffff4c89de4829fec7c20100000041"
            + "c7c23200000049c7c0ffffffff4531c9c7c0090000000f055a5e5f4881f801f0"
            + "ffff73aec30f1f40000f1f40000f1f40000f1f40000f1f40000f1f40000f1f00";

    private FaultHandler() {}

    /**
     * The code, which runs at any multiple of 64.
     *
     * @param table where the ranges are that it looks an address up in
     * @param previous the handler that it leaves all other addresses to
     */
    public static byte[] code(long table, long previous) {
        byte[] instructions = HexFormat.of().parseHex(CODE);
        return ByteBuffer.allocate(instructions.length + 2 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .put(instructions)
                .putLong(table)
                .putLong(previous)
                .array();
    }
}
