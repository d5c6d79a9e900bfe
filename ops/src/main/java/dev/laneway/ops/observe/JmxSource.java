package dev.laneway.ops.observe;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.net.MalformedURLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/**
 * A JVM with Kafka clients, by JMX: all metrics of consumers, producers, streams and admin clients, {@link Groups#JVM},
 * and {@link Groups#THREADS}. It needs nothing in that JVM but its usual metrics reporter; a user of its JMX who has
 * access {@code readonly} does, but for threads.
 *
 * <p><b>Threads.</b> Each read takes a few samples of the stacks of threads that run users' code, in about 100 ms, and
 * counts them under the thread's name. A thread waits if it is parked, blocked or asleep, or in a socket's native
 * method; it waits for Kafka if the innermost frame that is not the JDK's is Kafka's, and for something else otherwise:
 * another service, a lock, a sleep, or a pool of its own that is to take the next record. It cannot see:
 *
 * <ul>
 *   <li>virtual threads, so Laneway's handlers: Laneway tells its own numbers;
 *   <li>other threads than stream threads, Spring's listeners, threads in a method that calls a consumer's
 *       {@code poll}, and threads that were met in {@code poll} once. Which methods call it is read from the class
 *       files, so only of a JVM read by its pid, and not in jars in jars: elsewhere a busy consumer may never be met;
 *   <li>handlers in a pool of threads;
 *   <li>whether native code and files wait for a disk: RocksDB's reads count as running;
 *   <li>that a future which a user waits for is one of Kafka's: that counts as something else.
 * </ul>
 *
 * <p>Two reads a second apart are enough for numbers, tens of them for shares of threads.
 */
public final class JmxSource implements Source {
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:/\\s]+):([0-9]{1,5})");

    private final String name;
    private final String remedy;
    private final Opener opener;
    private final LongSupplier clock = System::currentTimeMillis;
    private final StackSampler threads = new StackSampler();
    private final Timely worker;
    private volatile String step = "";
    private final boolean local;
    private @Nullable Link link; // This and the next are the worker's.
    private @Nullable PollCallers callers;

    private interface Opener {
        Link open() throws IOException, AttachNotSupportedException;
    }

    private record Link(MBeanServerConnection jvm, @Nullable JMXConnector connector) {
        void close() {
            if (connector != null) {
                try {
                    connector.close();
                } catch (IOException gone) {
                    // It has closed the connection itself.
                }
            }
        }
    }

    private JmxSource(String name, boolean local, String remedy, Opener opener) {
        this.name = name;
        this.local = local;
        this.remedy = remedy;
        this.opener = opener;
        worker = new Timely("laneway-observe " + name);
    }

    /**
     * A JVM on this machine; this one too. Needs the rights of its user (or root's), and if it runs in a container, to
     * run in that container too. Connects at the first read.
     */
    public static JmxSource ofPid(long pid) {
        String remedy =
                "run this as the user that runs process " + pid + " and in the same container, or start that JVM"
                        + " with -Dcom.sun.management.jmxremote.port=PORT and give its host:port";
        return new JmxSource("pid " + pid, true, remedy, () -> attach(pid));
    }

    /**
     * A JVM anywhere, without a password.
     *
     * @param url {@code service:jmx:rmi:...}, or {@code host:port} where it was started with
     *     {@code -Dcom.sun.management.jmxremote.port=port}
     * @throws IllegalArgumentException if it is neither
     */
    public static JmxSource ofUrl(String url) {
        return ofUrl(url, Map.of());
    }

    /**
     * A JVM anywhere. Connects at the first read.
     *
     * @param environment what {@link JMXConnectorFactory} takes, such as {@link JMXConnector#CREDENTIALS}
     * @throws IllegalArgumentException if the URL is neither {@code service:jmx:rmi:...} nor {@code host:port}
     */
    public static JmxSource ofUrl(String url, Map<String, ?> environment) {
        JMXServiceURL service = service(url);
        String remedy = "check host and port, and that the JVM was started with"
                + " -Dcom.sun.management.jmxremote.port=PORT -Dcom.sun.management.jmxremote.rmi.port=PORT"
                + " -Djava.rmi.server.hostname=HOST, where HOST is its name as seen from here";
        return new JmxSource(url, false, remedy, () -> connect(service, environment));
    }

    private static JMXServiceURL service(String url) {
        try {
            if (url.startsWith("service:jmx:")) {
                return new JMXServiceURL(url);
            }
            if (HOST_AND_PORT.matcher(url).matches()) {
                return new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + url + "/jmxrmi");
            }
        } catch (MalformedURLException malformed) {
            throw new IllegalArgumentException(
                    "JMX URL '" + url + "' is not one (" + Reasons.of(malformed) + "): give host:port", malformed);
        }
        throw new IllegalArgumentException("JMX URL '" + url
                + "' is neither host:port nor service:jmx:rmi:///jndi/rmi://host:port/jmxrmi: give one of these");
    }

    private static Link attach(long pid) throws IOException, AttachNotSupportedException {
        if (pid == ProcessHandle.current().pid()) {
            return new Link(ManagementFactory.getPlatformMBeanServer(), null); // A JVM does not attach to itself.
        }
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new SourceFailure(
                    "pid " + pid + " is no process of this machine: give the pid of a JVM, as jps lists them", null);
        }
        VirtualMachine jvm = VirtualMachine.attach(String.valueOf(pid));
        String url;
        try {
            url = jvm.startLocalManagementAgent();
        } finally {
            jvm.detach();
        }
        return connect(new JMXServiceURL(url), Map.of());
    }

    @SuppressWarnings("BanJNDI") // JMX has no other way, and the URL is of whoever runs this.
    private static Link connect(JMXServiceURL url, Map<String, ?> environment) throws IOException {
        JMXConnector connector = JMXConnectorFactory.connect(url, environment);
        return new Link(connector.getMBeanServerConnection(), connector);
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Reads all beans, which takes two requests each, and then samples threads.
     *
     * @throws SourceFailure if the JVM cannot be reached, refuses, or takes longer than the limit
     */
    @Override
    public Sample read(Duration limit) {
        step = "it had not accepted the connection";
        try {
            return worker.call(limit, name, () -> step + "; " + remedy + ", or give it more time", this::readNow);
        } catch (SourceFailure told) {
            throw told;
        } catch (SecurityException refused) {
            throw new SourceFailure(
                    name + " refuses (" + Reasons.of(refused)
                            + "): give the user and password that its JMX asks for, or"
                            + " read it by its pid, which needs none",
                    refused);
        } catch (Exception failed) {
            throw new SourceFailure(name + " cannot be read by JMX (" + Reasons.of(failed) + "): " + remedy, failed);
        }
    }

    private Sample readNow() throws IOException, JMException, AttachNotSupportedException {
        try {
            Link open = link != null ? link : opener.open();
            link = open;
            SampleBuilder sample = new SampleBuilder();
            JvmReader.read(open.jvm(), sample);
            KafkaBeans.read(open.jvm(), sample, reached -> step = reached);
            LanewayReader.read(open.jvm(), sample);
            step = "it had told all beans and not all stacks";
            threads(open.jvm(), sample);
            return sample.build(name, clock.getAsLong());
        } catch (IOException | RuntimeException failed) {
            drop(); // So that the next read connects again.
            throw failed;
        }
    }

    /** Only a JVM on this machine has its class files here. */
    private PollCallers callers(MBeanServerConnection jvm) throws IOException {
        PollCallers known = callers;
        if (known == null) {
            RuntimeMXBean runtime = ManagementFactory.newPlatformMXBeanProxy(
                    jvm, ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class);
            known = local
                    ? PollCallers.of(
                            runtime.getClassPath(),
                            runtime.getSystemProperties().getOrDefault("user.dir", "/"))
                    : new PollCallers(List.of());
            callers = known;
        }
        return known;
    }

    private void threads(MBeanServerConnection jvm, SampleBuilder sample) throws IOException {
        try {
            threads.read(jvm, callers(jvm), sample);
        } catch (SecurityException refused) {
            // Whoever may only read attributes may not ask for stacks: what was read without is worth having.
        }
    }

    private void drop() {
        Link open = link;
        link = null;
        if (open != null) {
            open.close();
        }
    }

    /** Returns at once; the connection is closed as soon as nothing is read by it. */
    @Override
    public void close() {
        worker.closeAfter(this::drop);
    }
}
