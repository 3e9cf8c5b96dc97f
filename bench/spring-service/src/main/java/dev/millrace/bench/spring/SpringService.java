package dev.millrace.bench.spring;

import dev.millrace.bench.server.PeerService;
import dev.millrace.bench.server.PlainModels;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** A service of Spring Boot: a controller on Tomcat, with Boot's defaults, but that connections stay open. */
public final class SpringService implements PeerService {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(ModelController.class)
    static class Application {}

    @Override
    public String name() {
        return "spring";
    }

    @Override
    public String title() {
        return "Spring Boot service";
    }

    @Override
    public Running start(PlainModels models) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .initializers(starting -> starting.getBeanFactory().registerSingleton("models", models))
                .properties(Map.of(
                        "server.port", 0, "server.address", "127.0.0.1", "server.tomcat.max-keep-alive-requests", -1))
                .run();
        return new Running() {
            @Override
            public int port() {
                return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }
}
