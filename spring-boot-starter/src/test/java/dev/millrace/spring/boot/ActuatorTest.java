package dev.millrace.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.session.Engine;
import dev.millrace.session.Health.Condition;
import dev.millrace.spring.boot.MillraceEndpoint.EngineDescription;
import dev.millrace.spring.boot.MillraceEndpoint.SessionDescription;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;

/** Tests what Actuator shows. */
class ActuatorTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class,
                    MillraceMetricsAutoConfiguration.class,
                    MillraceAutoConfiguration.class,
                    MillraceActuatorAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=millrace");

    @TempDir
    private Path folder = Path.of("");

    private String model() {
        return "millrace.sessions.triple.model=" + TestModels.write(folder.resolve("triple.onnx"), 3);
    }

    @Test
    void healthIsThatOfTheSessions() {
        runner.withPropertyValues(model()).run(context -> {
            HealthIndicator indicator = context.getBean("millraceHealthIndicator", HealthIndicator.class);
            Health up = Objects.requireNonNull(indicator.health());
            assertThat(up.getStatus()).isEqualTo(Status.UP);
            assertThat(up.getDetails()).containsEntry("sessions", Map.of("triple", Condition.UP));
            context.getBean(ServedSession.class).session().close();
            Health down = Objects.requireNonNull(indicator.health());
            assertThat(down.getStatus()).isEqualTo(Status.DOWN);
            assertThat(down.getDetails()).containsEntry("sessions", Map.of("triple", Condition.DOWN));
        });
        runner.run(context -> {
            Health unused = Objects.requireNonNull(
                    context.getBean(HealthIndicator.class).health());
            assertThat(unused.getStatus()).isEqualTo(Status.UP);
            assertThat(unused.getDetails()).containsEntry("engine", "not in use");
            assertThat(context.getBean(MillraceEndpoint.class).engine()).isNull();
        });
        runner.withPropertyValues("management.health.millrace.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void metersAreInTheRegistryOfTheApplication() {
        runner.withPropertyValues(model()).run(context -> {
            TestModels.answer(context.getBean(ServedSession.class), 1);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.get("millrace.requests")
                            .tags("session", "triple", "outcome", "OK", "version", "3")
                            .timer()
                            .count())
                    .isOne();
            assertThat(healthOf("triple", registry).value()).isEqualTo(1);
            assertThat(registry.get("millrace.memory.weights").gauge().value()).isPositive();
        });
    }

    @Test
    void gaugesAreThoseOfTheSessionsAfterAStopAndAStart() {
        runner.withPropertyValues(model(), "millrace.engine.close-timeout=1s").run(context -> {
            Gauge down = healthOf("triple", context.getBean(MeterRegistry.class));
            assertThat(down.value()).isEqualTo(1);
            context.stop();
            assertThat(down.value()).isZero();
            context.start();
            assertThat(healthOf("triple", context.getBean(MeterRegistry.class)).value())
                    .isEqualTo(1);
        });
    }

    private static Gauge healthOf(String session, MeterRegistry registry) {
        return registry.get("millrace.health").tag("session", session).gauge();
    }

    @Test
    void withoutMicrometerOrActuatorThereIsTheEngineAlone() {
        runner.withPropertyValues(model())
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer.core", "org.springframework.boot.health", "org.springframework.boot.actuate"))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(Engine.class);
                    assertThat(context.getBeanNamesForType(Object.class))
                            .doesNotContain("millraceMeters", "millraceHealthIndicator", "millraceEndpoint");
                    assertThat(TestModels.answer(context.getBean(ServedSession.class), 1))
                            .isEqualTo(3);
                });
    }

    @Test
    void theEndpointDescribesAndReloadsSessions() {
        runner.withPropertyValues(model()).run(context -> {
            MillraceEndpoint endpoint = context.getBean(MillraceEndpoint.class);
            EngineDescription engine = Objects.requireNonNull(endpoint.engine());
            assertThat(engine.providers()).contains("cpu");
            assertThat(engine.devices()).anyMatch(device -> device.startsWith("cpu: CPU "));
            assertThat(engine.memory().weights()).isPositive();
            assertThat(engine.sessions()).hasSize(1).first().isEqualTo(endpoint.session("triple"));
            assertThat(endpoint.session("quarter")).isNull();
            assertThat(endpoint.reload("quarter")).isNull();

            Path other = TestModels.write(folder.resolve("other.onnx"), 4);
            TestPropertyValues.of("millrace.sessions.triple.model=" + other).applyTo(context);
            SessionDescription reloaded = Objects.requireNonNull(endpoint.reload("triple"));
            assertThat(reloaded.model()).isEqualTo(other.toString());
            assertThat(reloaded.version()).isEqualTo("4");
            assertThat(TestModels.answer(context.getBean(ServedSession.class), 1))
                    .isEqualTo(4);

            TestPropertyValues.of("millrace.sessions.triple.model=gone.onnx").applyTo(context);
            assertThatThrownBy(() -> endpoint.reload("triple"))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("gone.onnx");
        });
    }
}
