package dev.millrace.spring.boot;

import dev.millrace.session.Engine;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The engine of the application if something has needed it. Asking creates none. */
record EngineInUse(ConfigurableListableBeanFactory beans) {
    Optional<Engine> get() {
        return Stream.of(beans.getBeanNamesForType(Engine.class, true, false))
                .filter(beans::containsSingleton)
                .findFirst()
                .map(name -> beans.getBean(name, Engine.class));
    }
}
