package dev.millrace.pipelines.text;

import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.text.Encoding;
import dev.millrace.text.TextBatches;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A stage around a model of texts: a value becomes encodings, the model answers each, and the answers become the result.
 *
 * @param encoder makes unpadded encodings of a value
 * @param reader reads the answer to an encoding
 * @param join makes the result of a value of the answers to its encodings
 */
record TextHead<I, A, O>(
        TextBatches batches, Function<I, List<Encoding>> encoder, AnswerReader<A> reader, Join<I, A, O> join)
        implements Stage<I, O> {
    /** The reading of one text's part of a run's outputs. */
    @FunctionalInterface
    interface AnswerReader<A> {
        /**
         * Returns the answer to a text.
         *
         * @param text the text with the padding of its run
         * @param index the index of the text in the run
         */
        A read(Encoding text, Outputs outputs, int index);
    }

    /** The result of the answers to a value's encodings. */
    @FunctionalInterface
    interface Join<I, A, O> {
        O join(I input, List<Encoding> texts, List<A> answers);
    }

    private List<Encoding> encodings(I input) {
        return encoder.apply(StageArguments.require(input, "input"));
    }

    private List<A> answers(List<Encoding> texts, Inputs inputs, Outputs outputs) {
        var answers = new ArrayList<A>();
        for (int i = 0; i < texts.size(); i++) {
            answers.add(reader.read(texts.get(i), outputs, i));
        }
        return answers;
    }

    @Override
    public O run(I input) {
        return runAll(List.of(input)).getFirst();
    }

    @Override
    public List<O> runAll(List<? extends I> inputs) {
        List<I> values = StageArguments.all(inputs, "inputs");
        List<List<Encoding>> texts = values.stream().map(this::encodings).toList();
        List<A> answers = batches.run(texts.stream().flatMap(List::stream).toList(), this::answers);
        var results = new ArrayList<O>();
        int at = 0;
        for (int i = 0; i < values.size(); i++) {
            List<Encoding> own = texts.get(i);
            results.add(join.join(values.get(i), own, answers.subList(at, at + own.size())));
            at += own.size();
        }
        return List.copyOf(results);
    }

    @Override
    public Mono<O> mono(I input) {
        return Mono.defer(() -> {
            List<Encoding> texts = encodings(input);
            return batches.mono(texts, this::answers).map(answers -> join.join(input, texts, answers));
        });
    }

    @Override
    public int concurrency() {
        return batches.concurrency();
    }
}
