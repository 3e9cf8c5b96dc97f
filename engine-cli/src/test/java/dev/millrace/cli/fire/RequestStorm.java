package dev.millrace.cli.fire;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.GenerationOptions;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** One thread's requests of a scene: of all kinds, some poisoned, some cancelled, some changed once they are accepted. */
final class RequestStorm {
    private static final int WIDTH = 12;
    private static final int STEP_WIDTH = 3;
    private static final int KEYS = 5;

    private final MisuseScene scene;
    private final Random random;
    private final List<TrackedRequest> requests = new ArrayList<>();
    private final List<TrackedRequest> healthy = new ArrayList<>();

    /** Actions on requests that were made, to be taken while they wait or later. */
    private final List<Runnable> later = new ArrayList<>();

    RequestStorm(MisuseScene scene, Random random) {
        this.scene = scene;
        this.random = random;
    }

    List<TrackedRequest> requests() {
        return requests;
    }

    /** Those that nobody cancelled, changed for the worse or gave a deadline. */
    List<TrackedRequest> healthy() {
        return healthy;
    }

    void ask(int count) {
        for (int i = 0; i < count; i++) {
            ask();
            if (random.nextInt(3) == 0 && !later.isEmpty()) {
                later.remove(random.nextInt(later.size())).run();
            }
            if (random.nextInt(40) == 0) {
                disturb();
            }
        }
        later.forEach(Runnable::run);
    }

    private void ask() {
        switch (random.nextInt(8)) {
            case 0 -> request("a request", scene.session, WIDTH);
            case 1, 2 -> request("a request of a batch", scene.batched, WIDTH);
            case 3 -> request("a request of a session that is replaced", scene.replaceable, WIDTH);
            case 4 -> request("an element", scene.stateful.sequence(random.nextInt(KEYS)), STEP_WIDTH);
            case 5 -> request("an element of a batch", scene.together.sequence(random.nextInt(KEYS)), STEP_WIDTH);
            case 6 -> stream();
            default -> generation();
        }
    }

    private Inputs good(int width) {
        int rows = width == STEP_WIDTH ? 1 : 1 + random.nextInt(3);
        return Inputs.of("x", Tensor.copyOf(new float[rows * width], rows, width));
    }

    private void request(String name, Inference asked, int width) {
        RunOptions.Builder options = RunOptions.builder();
        Inputs inputs = good(width);
        String what = name;
        boolean isHealthy = true;
        boolean throwing = false;
        switch (random.nextInt(14)) {
            case 0 -> {
                what += " of no rank";
                inputs = Inputs.of("x", Tensor.scalar(1f));
                isHealthy = false;
            }
            case 1 -> {
                what += " of integers";
                inputs = Inputs.of("x", 1L, 2L, 3L);
                isHealthy = false;
            }
            case 2 -> {
                what += " without inputs";
                inputs = Inputs.empty();
                isHealthy = false;
            }
            case 3 -> {
                what += " with a closed tensor";
                ((Tensor) inputs.asMap().values().iterator().next()).close();
                isHealthy = false;
            }
            case 4 -> {
                what += " whose memory is freed";
                Arena arena = Arena.ofShared();
                inputs = Inputs.of(
                        "x", Tensor.wrap(ElementType.FLOAT, Shape.of(1, width), arena.allocate(4L * width, 64)));
                later.add(() -> free(arena));
                isHealthy = false;
            }
            case 5 -> {
                what += " that was changed";
                Inputs reused = inputs;
                Tensor wrong = random.nextBoolean() ? Tensor.scalar(1f) : Tensor.copyOf(new float[7], 7, 1, 1);
                later.add(() -> reused.and("x", wrong).and("nobody", 1f));
            }
            case 6 -> {
                what += " that its token cancels";
                var token = new Cancellation();
                options.cancellation(token);
                later.add(token::cancel);
                isHealthy = false;
            }
            case 7 -> {
                what += " with a deadline";
                options.within(Duration.ofNanos(random.nextInt(3_000_000)));
                isHealthy = false;
            }
            case 8 -> {
                what += " whose listener throws";
                options.listener(new Throwing());
            }
            case 9 -> {
                what += " whose subscriber throws";
                throwing = true;
            }
            case 10 -> {
                what += " into another's place";
                options.into("nobody", Tensor.scalar(1f));
                isHealthy = false;
            }
            default -> options.priority(random.nextInt(3));
        }
        TrackedRequest request = track(asked.mono(inputs, options.build()), what, throwing);
        if (random.nextInt(8) == 0) {
            later.add(request::takeBack);
        } else if (isHealthy && !throwing) {
            healthy.add(request);
        }
    }

    private static void free(Arena arena) {
        try {
            arena.close();
        } catch (IllegalStateException held) {
            // a run reads it just now, and the collector frees nothing of it
        }
    }

    private TrackedRequest track(Publisher<?> answers, String name, boolean throwing) {
        var request = new TrackedRequest(name, throwing);
        requests.add(request);
        Flux.<Object>from(answers).subscribe(request);
        return request;
    }

    private void stream() {
        Inference asked = switch (random.nextInt(3)) {
            case 0 -> scene.session;
            case 1 -> scene.batched;
            default -> scene.replaceable;
        };
        Flux<Inputs> three = Flux.just(
                good(WIDTH), random.nextInt(4) == 0 ? Inputs.of("x", Tensor.scalar(1f)) : good(WIDTH), good(WIDTH));
        FluxOptions options = random.nextBoolean()
                ? FluxOptions.builder().ordered(false).build()
                : FluxOptions.builder().retries(2).build();
        Publisher<?> answers = random.nextBoolean() ? asked.results(three, options) : asked.flux(three, options);
        TrackedRequest request = track(answers, "a stream", random.nextInt(10) == 0);
        if (random.nextInt(6) == 0) {
            later.add(request::takeBack);
        }
    }

    private void generation() {
        GenerationOptions.Builder options = GenerationOptions.builder().maxTokens(1 + random.nextInt(4));
        String name = "a generation";
        switch (random.nextInt(6)) {
            case 0 -> {
                name += " that its token cancels";
                var token = new Cancellation();
                options.cancellation(token);
                later.add(token::cancel);
            }
            case 1 -> {
                name += " with a deadline";
                options.timeLimit(Duration.ofNanos(random.nextInt(3_000_000)));
            }
            default -> {}
        }
        long[] prompt = {1, random.nextInt(MisuseScene.WORDS + 1)};
        TrackedRequest request = track(scene.generator.flux(prompt, options.build()), name, random.nextInt(10) == 0);
        if (random.nextInt(6) == 0) {
            later.add(request::takeBack);
        }
    }

    /** Something beside the requests. What it refuses is no request's concern. */
    private void disturb() {
        int key = random.nextInt(KEYS);
        try {
            switch (random.nextInt(8)) {
                case 0 -> scene.stateful.end(key);
                case 1 -> scene.together.end(key);
                case 2 -> scene.stateful.sequence(key).reset();
                case 3 -> {
                    var sequence = scene.together.sequence(key);
                    sequence.restore(sequence.snapshot());
                }
                case 4 -> scene.replaceable.replace(scene.engine.session(MisuseScene.MODEL, SessionOptions.defaults()));
                case 5 -> scene.session.trim();
                case 6 -> scene.session.run(good(WIDTH)).close();
                default -> scene.stateful.sequence(key).run(good(STEP_WIDTH)).close();
            }
        } catch (EngineException refused) {
            // closed, or given up
        }
    }

    private static final class Throwing implements RunListener {
        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            throw new IllegalStateException("a listener's own");
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            throw new IllegalStateException("a listener's own");
        }
    }
}
