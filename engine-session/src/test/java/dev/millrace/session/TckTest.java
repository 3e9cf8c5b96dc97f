package dev.millrace.session;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.session.generate.SummingModel;
import dev.millrace.session.generate.Token;
import dev.millrace.session.stream.StepFlux;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.SkipException;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The rules of Reactive Streams, as their own test kit checks them; its rules are TestNG's, who runs them is not. */
@Timeout(300)
class TckTest {
    private static final Engine ENGINE =
            Engine.create(EngineOptions.builder().threads(2).build());
    private static final Session SESSION = ENGINE.session(
            TestModels.sumAndProduct(), SessionOptions.builder().concurrency(2).build());

    private static final Session MODEL = ENGINE.session(SummingModel.bytes(1), SessionOptions.defaults());
    private static final Generator GENERATOR = Generator.of(MODEL);

    @AfterAll
    static void close() {
        MODEL.close();
        SESSION.close();
        ENGINE.close();
    }

    private static Inputs inputs() {
        return Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {1}, 1));
    }

    /** A flux over so many requests. */
    private static final class FluxRules extends PublisherVerification<Outputs> {
        FluxRules() {
            super(new TestEnvironment(500, 100));
        }

        @Override
        public Publisher<Outputs> createPublisher(long elements) {
            return SESSION.flux(
                    Flux.generate(sink -> sink.next(inputs())).take(elements).cast(Inputs.class));
        }

        @Override
        public Publisher<Outputs> createFailedPublisher() {
            return SESSION.flux(Flux.error(new IllegalStateException("planted")));
        }
    }

    /** A mono. */
    private static final class MonoRules extends PublisherVerification<Outputs> {
        MonoRules() {
            super(new TestEnvironment(500, 100));
        }

        @Override
        public Publisher<Outputs> createPublisher(long elements) {
            return SESSION.mono(inputs());
        }

        @Override
        public Publisher<Outputs> createFailedPublisher() {
            return SESSION.mono(Inputs.empty());
        }

        @Override
        public long maxElementsFromPublisher() {
            return 1;
        }
    }

    /** The tokens of a generation. */
    private static final class TokenRules extends PublisherVerification<Token> {
        TokenRules() {
            super(new TestEnvironment(500, 100));
        }

        @Override
        public Publisher<Token> createPublisher(long elements) {
            int most = (int) Math.clamp(elements, 1, Integer.MAX_VALUE);
            Flux<Token> tokens = GENERATOR.flux(
                    new long[] {1}, GenerationOptions.builder().maxTokens(most).build());
            return elements == 0 ? tokens.take(0) : tokens;
        }

        @Override
        public Publisher<Token> createFailedPublisher() {
            return new StepFlux<>(_ -> {
                throw new IllegalStateException("planted");
            });
        }
    }

    @TestFactory
    Stream<DynamicTest> tokens() {
        // the first tokens take longer than the rules give them
        GENERATOR.run(new long[] {1}, GenerationOptions.builder().maxTokens(20).build());
        return rules(new TokenRules());
    }

    @TestFactory
    Stream<DynamicTest> aFlux() {
        return rules(new FluxRules());
    }

    @TestFactory
    Stream<DynamicTest> aMono() {
        return rules(new MonoRules());
    }

    private static Stream<DynamicTest> rules(PublisherVerification<?> verification) {
        return Arrays.stream(PublisherVerification.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> DynamicTest.dynamicTest(method.getName(), () -> check(verification, method)));
    }

    private static void check(PublisherVerification<?> verification, Method rule) throws Throwable {
        verification.setUp();
        try {
            rule.invoke(verification);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SkipException skipped) {
                Assumptions.abort(String.valueOf(skipped.getMessage()));
            }
            throw e.getCause();
        }
    }
}
