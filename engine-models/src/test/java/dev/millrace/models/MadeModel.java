package dev.millrace.models;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Bytes of ONNX models that only name their external data. */
final class MadeModel {
    private MadeModel() {}

    static byte[] withData(String... locations) {
        var graph = new ByteArrayOutputStream();
        for (String location : locations) {
            byte[] entry = joined(field(1, text("location")), field(2, text(location)));
            // the last field says that the data is external
            graph.writeBytes(field(5, joined(field(8, text("weight")), field(13, entry), new byte[] {14 << 3, 1})));
        }
        return field(7, graph.toByteArray());
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] each : parts) {
            all.writeBytes(each);
        }
        return all.toByteArray();
    }

    private static byte[] field(int number, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(number << 3 | 2);
        int rest = content.length;
        for (; rest >= 128; rest >>>= 7) {
            out.write(rest & 127 | 128);
        }
        out.write(rest);
        out.writeBytes(content);
        return out.toByteArray();
    }
}
