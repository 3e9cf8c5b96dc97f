package dev.millrace.graph.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recognises files that are no ONNX model: the usual results of a download or an export that went wrong. */
final class OtherKind {
    private static final int HEAD = 64;
    /** The fewest characters that are told to be a text: a few bytes of a damaged model may look like one. */
    private static final int SHORTEST_TEXT = 8;

    private OtherKind() {}

    /**
     * Returns a sentence that names the kind of file and what to do about it, or null where the bytes look like nothing
     * known.
     */
    static @Nullable String of(MemorySegment bytes) {
        byte[] start = bytes.asSlice(0, Math.min(HEAD, bytes.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        String head = new String(start, StandardCharsets.ISO_8859_1);
        String text = head.strip().toLowerCase(Locale.ROOT);
        if (head.startsWith("version https://git-lfs")) {
            return "this is a Git LFS pointer and not the model itself; 'git lfs pull' in its checkout fetches it";
        }
        if (text.startsWith("<!doctype html") || text.startsWith("<html")) {
            return "this is an HTML page and no ONNX model; a download that was answered with a page leaves one";
        }
        if (text.startsWith("{") || text.startsWith("<?xml")) {
            return "this is " + (text.startsWith("{") ? "JSON" : "XML") + " and no ONNX model";
        }
        if (head.startsWith("PK\3\4")) {
            return "this is a zip archive and no ONNX model: unpack it, or export it where it is a PyTorch checkpoint";
        }
        if (head.startsWith("\u001f\u008b")) {
            return "this is compressed by gzip; unpack it first";
        }
        if (head.startsWith("ORTM", 4)) {
            return "this is ONNX Runtime's own .ort format; the .onnx file that it was made from can be read";
        }
        if (head.startsWith("TFL3", 4)) {
            return "this is a TensorFlow Lite model; tf2onnx makes an ONNX model of it";
        }
        if (head.startsWith("GGUF")) {
            return "this is a GGUF file, as llama.cpp reads, and no ONNX model; an ONNX export of the same model can"
                    + " be read";
        }
        if (head.startsWith("\u0089HDF")) {
            return "this is an HDF5 file, as Keras writes; tf2onnx makes an ONNX model of it";
        }
        if (head.startsWith("{\"", 8)) {
            return "this is a file of safetensors, which has weights and no graph; an ONNX export of the model can be"
                    + " read";
        }
        if (text.length() >= SHORTEST_TEXT && head.chars().allMatch(OtherKind::isOfText)) {
            return "this is a text and no ONNX model";
        }
        return null;
    }

    private static boolean isOfText(int c) {
        return c >= ' ' && c <= '~' || c == '\n' || c == '\r' || c == '\t';
    }
}
