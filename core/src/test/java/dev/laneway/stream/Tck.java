package dev.laneway.stream;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/**
 * Runs a verification of the Reactive Streams TCK under JUnit, so that one run and one report hold all tests. TestNG,
 * for which the TCK is written, supplies the annotations and nothing else.
 */
final class Tck {
    /** Longer than anything takes that works, on a busy machine too. */
    private static final long LIMIT_MILLIS = 10_000;
    /** How long to check that nothing comes. */
    private static final long SILENCE_MILLIS = 30;

    /** How long an error may take. */
    private static final long ERROR_MILLIS = 500;

    /** How long the TCK always waits before it checks whether a cancelled subscriber can be collected. */
    static final long RELEASE_MILLIS = 500;

    /** The prefix of rules that the TCK lists and does not test. */
    private static final String UNTESTED = "untested_";

    /** What is asked of publishers for several subscribers. Ours are for one. */
    private static final Pattern SEVERAL_SUBSCRIBERS = Pattern.compile("optional_spec111_.*"
            + "|required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo"
            + "|required_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError");

    private Tck() {}

    /** What the verifications run in. */
    static TestEnvironment environment() {
        return new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS, SILENCE_MILLIS);
    }

    /**
     * As {@link #environment}, for stages with their own threads. Because of a bug the TCK waits for an error only for
     * one polling interval instead of the limit, so the interval must be long enough for a busy machine.
     */
    static TestEnvironment environmentWithThreads() {
        return new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS, ERROR_MILLIS);
    }

    /**
     * The tests of a verification, all of which must run.
     *
     * @param verifications makes a new one for each test
     */
    static Stream<DynamicTest> of(Supplier<?> verifications) {
        return with(verifications.get().getClass(), Test.class).stream()
                .filter(method -> !method.getName().startsWith(UNTESTED))
                .filter(method -> !SEVERAL_SUBSCRIBERS.matcher(method.getName()).matches())
                .map(method -> DynamicTest.dynamicTest(method.getName(), () -> run(verifications.get(), method)));
    }

    private static void run(Object verification, Method test) throws Throwable {
        callAll(verification, BeforeClass.class);
        try {
            callAll(verification, BeforeMethod.class);
            call(verification, test);
        } catch (SkipException skipped) {
            throw new AssertionError("the TCK skips this test: mend the verification", skipped);
        } finally {
            callAll(verification, AfterClass.class);
        }
    }

    private static void callAll(Object verification, Class<? extends Annotation> kind) throws Throwable {
        for (Method method : with(verification.getClass(), kind)) {
            call(verification, method);
        }
    }

    private static void call(Object verification, Method method) throws Throwable {
        try {
            method.invoke(verification);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static List<Method> with(Class<?> verification, Class<? extends Annotation> kind) {
        return Arrays.stream(verification.getMethods())
                .filter(method -> method.isAnnotationPresent(kind))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }
}
