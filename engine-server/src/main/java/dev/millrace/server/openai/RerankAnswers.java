package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.text.Embedder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Documents by their relevance to a query. */
final class RerankAnswers {
    /**
     * The scores of documents, in the order of the documents.
     *
     * @param tokens the tokens that the model reads
     */
    private record Scores(List<Double> all, int tokens) {}

    /**
     * Answers a request to sort documents. The score of a model that reads query and document together is its logistic
     * function, from 0 to 1; that of a model of vectors is the product of both vectors.
     *
     * @param release is called once the model is not needed any more
     */
    Mono<HttpAnswer> rerank(OpenAiRequest request, TextModel model, Runnable release) {
        List<String> documents = documents(request);
        String query = request.text("query");
        int most = request.count("top_n", Integer.MAX_VALUE);
        boolean returned = request.flag("return_documents");
        CrossEncoder encoder = model.ranks();
        Mono<Scores> scores = encoder == null
                ? byVectors(request, query, documents, model)
                : byPairs(request, encoder, query, documents, model);
        return scores.map(found -> {
                    var answer = new LinkedHashMap<String, Object>();
                    answer.put("model", request.model());
                    answer.put("results", results(found.all, most, returned ? documents : null));
                    answer.put("usage", PromptUsage.tree(found.tokens));
                    return HttpAnswer.json(answer);
                })
                .doFinally(_ -> release.run());
    }

    private static List<String> documents(OpenAiRequest request) {
        return request.list("documents").stream()
                .map(each -> each instanceof Map<?, ?> map ? map.get("text") : each)
                .map(each -> {
                    if (each instanceof String text) {
                        return text;
                    }
                    throw EngineException.invalidArgument("a document is a text, or an object with a 'text'");
                })
                .toList();
    }

    private static Mono<Scores> byVectors(
            OpenAiRequest request, String query, List<String> documents, TextModel model) {
        var texts = new ArrayList<String>();
        texts.add(query);
        texts.addAll(documents);
        return TextVectors.of(request, texts, model).map(vectors -> {
            float[] asked = vectors.all().getFirst();
            List<Double> scores = vectors.all().stream()
                    .skip(1)
                    .map(each -> (double) Embedder.dot(asked, each))
                    .toList();
            return new Scores(scores, vectors.tokens());
        });
    }

    private static Mono<Scores> byPairs(
            OpenAiRequest request, CrossEncoder encoder, String query, List<String> documents, TextModel model) {
        request.timeline().hasRows(documents.size());
        return Mono.fromSupplier(() -> documents.stream()
                        .map(each -> model.tokenizer().encode(query, each))
                        .mapToInt(PromptUsage::tokens)
                        .sum())
                .doOnNext(request.timeline()::addPromptTokens)
                .subscribeOn(Schedulers.parallel())
                .flatMap(tokens -> encoder.scoresMono(query, documents)
                        .map(scores -> new Scores(
                                scores.stream().map(RerankAnswers::logistic).toList(), tokens)));
    }

    private static double logistic(double score) {
        return 1 / (1 + Math.exp(-score));
    }

    /** @param documents the documents, which the answer repeats; null where it has their indices alone */
    private static List<Object> results(List<Double> scores, int most, @Nullable List<String> documents) {
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
            if (documents != null) {
                row.put("document", Map.of("text", documents.get(i)));
            }
            results.add(row);
        }
        return results;
    }
}
