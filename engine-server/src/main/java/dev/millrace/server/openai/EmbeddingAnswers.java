package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.text.Embedder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import reactor.core.publisher.Mono;

/** Vectors of texts. */
final class EmbeddingAnswers {
    private static final String FORMAT = "encoding_format";

    /** Answers a request for vectors. */
    Mono<HttpAnswer> embeddings(OpenAiRequest request, TextModel model, Runnable release) {
        List<String> texts = request.texts("input", model.tokenizer());
        int dimensions = request.count("dimensions", 0);
        Object format = request.values().get(FORMAT);
        boolean base64 = "base64".equals(format);
        if (format != null && !base64 && !format.equals("float")) {
            throw EngineException.invalidArgument("'" + FORMAT + "' is float or base64");
        }
        Mono<TextVectors> found = TextVectors.of(request, texts, model);
        return found.map(vectors -> {
                    var data = new ArrayList<Object>();
                    for (float[] vector : vectors.all()) {
                        float[] cut = cut(vector, dimensions);
                        var row = new LinkedHashMap<String, Object>();
                        row.put("object", "embedding");
                        row.put("index", data.size());
                        row.put("embedding", base64 ? base64(cut) : list(cut));
                        data.add(row);
                    }
                    var answer = new LinkedHashMap<String, Object>();
                    answer.put("object", "list");
                    answer.put("data", data);
                    answer.put("model", request.model());
                    answer.put("usage", PromptUsage.tree(vectors.tokens()));
                    return HttpAnswer.json(answer);
                })
                .doFinally(_ -> release.run());
    }

    /** Returns the first elements of a vector, of length 1 again. */
    private static float[] cut(float[] vector, int dimensions) {
        if (dimensions == 0) {
            return vector;
        }
        if (dimensions > vector.length) {
            throw EngineException.invalidArgument(
                    "'dimensions' is " + dimensions + "; the model's vectors have " + vector.length);
        }
        float[] cut = Arrays.copyOf(vector, dimensions);
        double length = Math.sqrt(Embedder.dot(cut, cut));
        for (int i = 0; i < cut.length && length > 0; i++) {
            cut[i] /= (float) length;
        }
        return cut;
    }

    private static List<Float> list(float[] vector) {
        var list = new ArrayList<Float>(vector.length);
        for (float each : vector) {
            list.add(each);
        }
        return list;
    }

    private static String base64(float[] vector) {
        ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * vector.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(vector);
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
