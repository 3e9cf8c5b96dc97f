package dev.millrace.example.webflux;

import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The session that the service answers with. */
@Configuration
class Models {
    @Bean
    Session session(@Value("${model}") String model) {
        return Engine.create().session(Path.of(model));
    }
}
