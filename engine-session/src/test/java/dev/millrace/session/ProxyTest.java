package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Frameworks put proxies before what they hand out, and tests put mocks in its place. */
class ProxyTest {
    private final Engine engine = Engine.create();
    private final List<String> calls = new ArrayList<>();

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private <T> T proxy(Class<T> face, T behind) {
        return face.cast(Proxy.newProxyInstance(
                face.getClassLoader(), new Class<?>[] {face}, (_, method, arguments) -> {
                    calls.add(method.getName());
                    try {
                        return method.invoke(behind, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    void enginesAndSessionsCanBeProxies() {
        Engine before = proxy(Engine.class, engine);
        try (Session session =
                proxy(Session.class, before.session(TestModels.sumAndProduct(), SessionOptions.defaults()))) {
            Inputs inputs =
                    Inputs.of("a", Tensor.copyOf(new float[] {1, 2}, 2)).and("b", Tensor.copyOf(new float[] {3, 4}, 2));
            try (Outputs outputs = session.run(inputs)) {
                assertThat(outputs.get(0).floats()).containsExactly(4, 6);
            }
            try (Outputs outputs = session.then(session, all -> inputs).run(inputs)) {
                assertThat(outputs.get(0).floats()).containsExactly(4, 6);
            }
            try (Outputs outputs = session.mono(inputs).block()) {
                assertThat(outputs).isNotNull();
            }
        }
        assertThat(calls).startsWith("session", "run").endsWith("close");
    }

    @Test
    void whatTakesOverASessionsRunsWantsTheSession() {
        try (Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            Session before = proxy(Session.class, session);
            Executable taking = () -> ReplaceableSession.of(before);
            assertThatThrownBy(taking::execute)
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("a session that an engine made");
        }
    }
}
