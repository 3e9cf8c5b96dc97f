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
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Vectors of texts, and texts by their likeness to a query. */
final class EmbeddingAnswers {
    private static final String FORMAT = "encoding_format";

    /** Answers a request for vectors. */
    Mono<HttpAnswer> embeddings(OpenAiRequest request, TextModel model, Runnable release) {
        List<String> texts = request.texts("input");
        int dimensions = request.count("dimensions", 0);
        Object format = request.values().get(FORMAT);
        boolean base64 = "base64".equals(format);
        if (format != null && !base64 && !format.equals("float")) {
            throw EngineException.invalidArgument("'" + FORMAT + "' is float or base64");
        }
        return vectors(request.model(), texts, model, release).map(vectors -> {
            var data = new ArrayList<Object>();
            for (float[] vector : vectors.all) {
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
            answer.put("usage", usage(vectors.tokens));
            return HttpAnswer.json(answer);
        });
    }

    /** Answers a request to sort documents: the score is the product of the vectors of query and document. */
    Mono<HttpAnswer> rerank(OpenAiRequest request, TextModel model, Runnable release) {
        List<String> documents = request.list("documents").stream()
                .map(each -> each instanceof Map<?, ?> map ? map.get("text") : each)
                .map(each -> {
                    if (each instanceof String text) {
                        return text;
                    }
                    throw EngineException.invalidArgument("a document is a text, or an object with a 'text'");
                })
                .toList();
        var texts = new ArrayList<String>();
        texts.add(request.text("query"));
        texts.addAll(documents);
        int most = request.count("top_n", Integer.MAX_VALUE);
        boolean returned = request.flag("return_documents");
        return vectors(request.model(), texts, model, release).map(vectors -> {
            var scores = vectors.all.stream()
                    .skip(1)
                    .map(each -> Embedder.dot(vectors.all.getFirst(), each))
                    .toList();
            var order = new ArrayList<Integer>();
            for (int i = 0; i < scores.size(); i++) {
                order.add(i);
            }
            order.sort(Comparator.comparing((Integer i) -> scores.get(i)).reversed());
            var results = new ArrayList<Object>();
            for (int i : order.subList(0, Math.min(most, order.size()))) {
                var row = new LinkedHashMap<String, Object>();
                row.put("index", i);
                row.put("relevance_score", scores.get(i));
                if (returned) {
                    row.put("document", Map.of("text", documents.get(i)));
                }
                results.add(row);
            }
            var answer = new LinkedHashMap<String, Object>();
            answer.put("model", request.model());
            answer.put("results", results);
            answer.put("usage", usage(vectors.tokens));
            return HttpAnswer.json(answer);
        });
    }

    private record Vectors(List<float[]> all, int tokens) {}

    private static Mono<Vectors> vectors(String name, List<String> texts, TextModel model, Runnable release) {
        Embedder embedder = model.embedder(name);
        return Mono.fromSupplier(() -> tokens(model, texts))
                .subscribeOn(Schedulers.parallel())
                .flatMap(tokens ->
                        embedder.flux(Flux.fromIterable(texts)).collectList().map(all -> new Vectors(all, tokens)))
                .doFinally(_ -> release.run());
    }

    /** Returns the number of tokens that the model sees, without those that fill texts up. */
    private static int tokens(TextModel model, List<String> texts) {
        int tokens = 0;
        for (String text : texts) {
            for (long counts : model.tokenizer().encode(text).mask()) {
                tokens += (int) counts;
            }
        }
        return tokens;
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

    private static Map<String, Object> usage(int tokens) {
        var usage = new LinkedHashMap<String, Object>();
        usage.put("prompt_tokens", tokens);
        usage.put("total_tokens", tokens);
        return usage;
    }
}
