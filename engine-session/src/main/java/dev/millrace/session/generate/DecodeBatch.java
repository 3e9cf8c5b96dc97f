package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.Receiver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * Computes the next tokens of several texts in one run, which reads the weights once for all of them. A single text runs on
 * caches of its own. As soon as there are several, their caches become entries of shared ones. A run begins when all texts wait
 * for their next token, or shortly after the first one does. If there are more texts than entries, they have them in turns.
 * Thread-safe.
 */
final class DecodeBatch {
    /** How long a run waits for texts that do not ask for their next token yet. */
    private static final long LINGER_MILLIS = 2;
    /** The runs after which a text leaves its entry to one that waits. */
    private static final int TENURE = 32;

    private final DecoderSignature signature;
    private final SharedCaches shared;
    private final int maxBatch;
    /** The texts whose tokens are being generated. */
    private final List<BatchedText> texts = new ArrayList<>();

    private final List<DecodeStep> waiting = new ArrayList<>();
    /** The texts that leave when the run has ended, and what follows. */
    private final Map<BatchedText, Runnable> leaving = new LinkedHashMap<>();

    private boolean running;
    /** Whether the run has ended, and its answers are being delivered. */
    private boolean delivering;

    private boolean lingers;
    private long rounds;

    DecodeBatch(DecoderSignature signature, Supplier<OpenSequence> sequences, int maxBatch) {
        this.signature = signature;
        this.shared = new SharedCaches(signature, sequences);
        this.maxBatch = maxBatch;
    }

    /** Whether texts are being generated. */
    synchronized boolean isBusy() {
        return !texts.isEmpty();
    }

    /** Whether no text but this one is being generated, on caches of its own. */
    synchronized boolean isAlone(@Nullable BatchedText text) {
        return texts.isEmpty() || texts.size() == 1 && texts.getFirst() == text && !text.isShared();
    }

    /** Adds a text whose prompt is in its caches. {@link #leave} removes it. */
    synchronized BatchedText join(OpenSequence own) {
        var text = new BatchedText(own);
        texts.add(text);
        return text;
    }

    /**
     * Requests the logits behind the last token of a text.
     *
     * @param cached the number of tokens before it
     */
    Disposable step(BatchedText text, int word, int cached, RunOptions options, Receiver<float[]> to) {
        var step = new DecodeStep(text, word, options, to);
        synchronized (this) {
            text.cached(cached);
            waiting.add(step);
        }
        runIfAllWait();
        return step;
    }

    /**
     * Removes a text. A text that ends with an answer leaves before its receiver goes on, so that nothing of it is left when the
     * last text of a session has ended.
     *
     * @param cached the number of tokens whose keys and values its own caches get back; 0 for none
     * @param afterwards is called when no run uses its caches any more
     */
    void leave(BatchedText text, int cached, Runnable afterwards) {
        synchronized (this) {
            texts.remove(text);
            waiting.removeIf(step -> step.text() == text);
            text.cached(cached);
            if (running && !delivering) {
                leaving.put(text, afterwards);
                return;
            }
            shared.remove(text);
        }
        afterwards.run();
        runIfAllWait();
    }

    /** Ends a run: texts leave, and the next run begins. */
    private void end() {
        var left = new ArrayList<Runnable>();
        synchronized (this) {
            leaving.forEach((text, afterwards) -> {
                shared.remove(text);
                left.add(afterwards);
            });
            leaving.clear();
            delivering = false;
            running = false;
        }
        left.forEach(Runnable::run);
        runIfAllWait();
    }

    private void runIfAllWait() {
        synchronized (this) {
            if (running || waiting.isEmpty()) {
                return;
            }
            if (waiting.size() < Math.min(texts.size(), maxBatch)) {
                if (!lingers) {
                    lingers = true;
                    Schedulers.parallel().schedule(this::runThoseThatWait, LINGER_MILLIS, TimeUnit.MILLISECONDS);
                }
                return;
            }
            running = true;
        }
        round();
    }

    private void runThoseThatWait() {
        synchronized (this) {
            lingers = false;
            if (running || waiting.isEmpty()) {
                return;
            }
            running = true;
        }
        round();
    }

    private void round() {
        Map<DecodeStep, EngineException> refused = new LinkedHashMap<>();
        List<DecodeStep> steps = List.of();
        try {
            boolean isAlone;
            synchronized (this) {
                waiting.forEach(step -> {
                    EngineException refusal = step.refusal();
                    if (refusal != null) {
                        refused.put(step, refusal);
                    }
                });
                waiting.removeAll(refused.keySet());
                isAlone = texts.size() == 1;
                steps = isAlone ? List.copyOf(waiting) : chosen();
                waiting.removeAll(steps);
            }
            if (steps.isEmpty()) {
                end();
            } else if (isAlone) {
                runAlone(steps.getFirst());
            } else {
                runTogether(steps);
            }
        } catch (RuntimeException | Error e) {
            List<DecodeStep> begun = steps;
            end(() -> begun.forEach(step -> step.failed(e)));
        }
        refused.forEach(DecodeStep::failed);
    }

    /** Returns the steps of the next run: those of texts that have entries or get them. */
    private List<DecodeStep> chosen() {
        List<DecodeStep> outside =
                waiting.stream().filter(step -> !step.text().isShared()).toList();
        int occupied = shared.texts().size();
        int more = Math.min(outside.size(), maxBatch - occupied);
        var steps = new ArrayList<>(outside.subList(0, more));
        List<DecodeStep> tooMany = outside.subList(more, outside.size());
        if (!tooMany.isEmpty()) {
            List<BatchedText> leavers = shared.texts().stream()
                    .filter(text -> rounds - text.since() >= TENURE)
                    .sorted(Comparator.comparingLong(BatchedText::since))
                    .limit(tooMany.size())
                    .toList();
            leavers.forEach(shared::remove);
            steps.addAll(tooMany.subList(0, leavers.size()));
        }
        waiting.stream().filter(step -> step.text().isShared()).forEach(steps::add);
        return steps;
    }

    private void runAlone(DecodeStep step) {
        BatchedText text = step.text();
        shared.remove(text);
        rounds++;
        step.runsAlone(text.own()
                .start(
                        signature.steps().of(step.word(), text.cached()),
                        step.options(),
                        receiver(List.of(step), _ -> 0, 1)));
    }

    private void runTogether(List<DecodeStep> steps) {
        shared.add(
                steps.stream()
                        .map(DecodeStep::text)
                        .filter(text -> !text.isShared())
                        .toList(),
                rounds++);
        int size = shared.size();
        int[] words = new int[size];
        int[] cached = new int[size];
        for (int entry = 0; entry < size; entry++) {
            BatchedText text = shared.text(entry);
            cached[entry] = text == null ? 0 : text.cached();
        }
        steps.forEach(step -> words[step.text().entry()] = step.word());
        RunOptions options = RunOptions.builder()
                .outputs(signature.logits())
                .priority(steps.stream()
                        .mapToInt(step -> step.options().priority())
                        .max()
                        .orElse(0))
                .build();
        shared.sequence()
                .start(
                        signature.steps().of(words, cached, shared.room()),
                        options,
                        receiver(steps, step -> step.text().entry(), size));
    }

    private Receiver<Outputs> receiver(List<DecodeStep> steps, Function<DecodeStep, Integer> entry, int entries) {
        return new Receiver<>() {
            @Override
            public void answered(Outputs outputs) {
                Map<DecodeStep, float[]> logits = new LinkedHashMap<>();
                // a text that asks for no token in the next run must not have its last one overwritten there
                steps.forEach(step -> step.text().cached(step.text().cached() + 1));
                try (outputs) {
                    steps.forEach(step -> logits.put(step, signature.lastLogits(outputs, entry.apply(step), entries)));
                } catch (RuntimeException | Error e) {
                    end(() -> steps.forEach(step -> step.failed(e)));
                    return;
                }
                end(() -> logits.forEach(DecodeStep::answered));
            }

            @Override
            public void failed(EngineException failure) {
                end(() -> steps.forEach(step -> step.failed(failure)));
            }
        };
    }

    /** Delivers the answers of a run, whose receivers may ask for their next tokens at once, and ends the run. */
    private void end(Runnable delivery) {
        synchronized (this) {
            delivering = true;
        }
        try {
            delivery.run();
        } finally {
            end();
        }
    }
}
