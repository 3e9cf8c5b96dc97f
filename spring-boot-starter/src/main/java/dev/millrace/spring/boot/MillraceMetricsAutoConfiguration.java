package dev.millrace.spring.boot;

import dev.millrace.micrometer.EngineMeters;
import dev.millrace.session.Engine;
import dev.millrace.session.ReplaceableSession;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Configures the meters of the engine in the registry of the application. */
@AutoConfiguration(
        before = MillraceAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class MillraceMetricsAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    EngineMeters millraceMeters(MeterRegistry registry) {
        return new EngineMeters(registry);
    }

    @Bean
    OpenListener millraceGauges(EngineMeters meters) {
        return new OpenListener() {
            @Override
            public void opened(Engine engine) {
                meters.watch(engine);
            }

            @Override
            public void opened(String name, ReplaceableSession session) {
                meters.watch(session, name);
            }
        };
    }
}
