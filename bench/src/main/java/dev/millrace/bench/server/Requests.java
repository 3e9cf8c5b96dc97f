package dev.millrace.bench.server;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** The requests of the measurement, as bytes that a connection sends. */
final class Requests {
    private static final int WORDS = 30_000;
    private static final int FIRST_WORD = 1000;
    /** The samples of a chunk of speech. */
    static final int SAMPLES = 512;

    static final long SAMPLES_A_SECOND = 16_000;

    private Requests() {}

    /** Returns a request that adds 8 floats to 8 floats. */
    static byte[] sum(ServedKind kind) {
        byte[] numbers = new byte[2 * 8 * Float.BYTES];
        ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().put(new float[] {1, 2, 3, 4, 5, 6, 7, 8
        });
        return switch (kind) {
            case PEER -> HttpConnection.request("/" + ServedFolder.SUM, "", numbers);
            case MILLRACE ->
                binary(
                        ServedFolder.SUM,
                        "{\"inputs\":[" + input("a", "FP32", "8", 32) + "," + input("b", "FP32", "8", 32) + "],"
                                + "\"parameters\":{\"binary_data_output\":true}}",
                        numbers);
        };
    }

    /** Returns a request for the vectors of so many tokens. */
    static byte[] sentence(ServedKind kind, int tokens, RandomGenerator random) {
        byte[] ids = longs(random.longs(tokens, FIRST_WORD, WORDS).toArray());
        if (kind == ServedKind.PEER) {
            return HttpConnection.request("/" + ServedFolder.SENTENCES, "", ids);
        }
        long[] ones = new long[tokens];
        Arrays.fill(ones, 1);
        String shape = "1," + tokens;
        String json = "{\"inputs\":[" + input("input_ids", "INT64", shape, ids.length) + ","
                + input("attention_mask", "INT64", shape, ids.length) + ","
                + input("token_type_ids", "INT64", shape, ids.length)
                + "],\"parameters\":{\"binary_data_output\":true}}";
        return binary(ServedFolder.SENTENCES, json, ids, longs(ones), longs(new long[tokens]));
    }

    /** Returns a request that the model of so many floats answers. */
    static byte[] floats(int length) {
        byte[] numbers = new byte[length * Float.BYTES];
        String json = "{\"inputs\":[" + input("x", "FP32", Integer.toString(length), numbers.length)
                + "],\"parameters\":{\"binary_data_output\":true}}";
        return binary(ServedFolder.floatsName(length), json, numbers);
    }

    /** Returns the requests of a sequence of speech, one for each chunk of its samples. */
    static List<byte[]> speech(ServedKind kind, long sequence, int chunks, RandomGenerator random) {
        var all = new ArrayList<byte[]>();
        for (int i = 0; i < chunks; i++) {
            byte[] samples = new byte[SAMPLES * Float.BYTES];
            FloatBuffer floats =
                    ByteBuffer.wrap(samples).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
            random.doubles(SAMPLES, -1, 1).forEach(each -> floats.put((float) each));
            all.add(
                    kind == ServedKind.PEER
                            ? HttpConnection.request(
                                    "/" + ServedFolder.SPEECH, "", longs(sequence, i == 0 ? 1 : 0), samples)
                            : chunk(sequence, i == 0, i == chunks - 1, samples));
        }
        return all;
    }

    private static byte[] chunk(long sequence, boolean start, boolean end, byte[] samples) {
        String json = "{\"parameters\":{\"sequence_id\":" + sequence + ",\"sequence_start\":" + start
                + ",\"sequence_end\":" + end + ",\"binary_data_output\":true},\"inputs\":["
                + input("input", "FP32", "1," + SAMPLES, samples.length) + "," + input("sr", "INT64", "", Long.BYTES)
                + "],\"outputs\":[{\"name\":\"output\"}]}";
        return binary(ServedFolder.SPEECH, json, samples, longs(SAMPLES_A_SECOND));
    }

    private static byte[] longs(long... numbers) {
        byte[] bytes = new byte[numbers.length * Long.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(numbers);
        return bytes;
    }

    private static String input(String name, String type, String shape, int bytes) {
        return "{\"name\":\"" + name + "\",\"datatype\":\"" + type + "\",\"shape\":[" + shape
                + "],\"parameters\":{\"binary_data_size\":" + bytes + "}}";
    }

    private static byte[] binary(String model, String json, byte[]... blobs) {
        byte[] head = json.getBytes(StandardCharsets.UTF_8);
        byte[][] body = new byte[blobs.length + 1][];
        body[0] = head;
        System.arraycopy(blobs, 0, body, 1, blobs.length);
        return HttpConnection.request(
                "/v2/models/" + model + "/infer", "Inference-Header-Content-Length: " + head.length + "\r\n", body);
    }
}
