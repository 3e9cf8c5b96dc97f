package dev.millrace.spring.boot;

import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Registers each configured session as a bean of its name. */
final class SessionBeans implements BeanRegistrar {
    private static final Bindable<Map<String, Object>> BY_NAME = Bindable.mapOf(String.class, Object.class);

    @Override
    public void register(BeanRegistry registry, Environment environment) {
        for (String name : names(environment)) {
            registry.registerBean(
                    name,
                    ServedSession.class,
                    bean -> bean.supplier(
                            context -> context.bean(MillraceSessions.class).get(name)));
        }
    }

    /** Returns the names below {@code millrace.sessions}, also those whose properties are all unknown. */
    static Set<String> names(Environment environment) {
        return Binder.get(environment)
                .bind("millrace.sessions", BY_NAME)
                .map(Map::keySet)
                .orElse(Set.of());
    }
}
