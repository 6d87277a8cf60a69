using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Tests.Sampling;

public class SampleTreeTests
{
    private const ulong KernelMark = unchecked((ulong)-128);
    private const ulong UserMark = unchecked((ulong)-512);

    [Fact]
    public void Equal_stacks_share_nodes_and_callers_have_the_address_of_the_call()
    {
        var tree = new SampleTree(new NodeBudget(100));

        tree.TryAdd([UserMark, 0x30, 0x21, 0x11], maxStackLength: 4).Should().BeTrue();
        tree.TryAdd([UserMark, 0x30, 0x21, 0x11], maxStackLength: 4).Should().BeTrue();
        tree.TryAdd([UserMark, 0x20, 0x11], maxStackLength: 4).Should().BeTrue();

        tree.SampleCount.Should().Be(3);
        tree.Nodes.Should().Equal(
            new SampleTree.Node(-1, 0x10, 0),
            new SampleTree.Node(0, 0x20, 1), // as a caller, and as the innermost
            new SampleTree.Node(1, 0x30, 2));
    }

    [Fact]
    public void The_innermost_addresses_of_kernel_and_program_are_unchanged()
    {
        var tree = new SampleTree(new NodeBudget(100));

        tree.TryAdd([KernelMark, 0xff50, 0xff41, UserMark, 0x30, 0x21], maxStackLength: 5).Should().BeTrue();

        tree.Nodes.Select(node => node.Address).Should().Equal(0x20ul, 0x30ul, 0xff40ul, 0xff50ul);
    }

    [Fact]
    public void A_return_address_of_zero_is_ignored()
    {
        var tree = new SampleTree(new NodeBudget(100));

        tree.TryAdd([UserMark, 0x30, 0], maxStackLength: 127).Should().BeTrue();

        tree.Nodes.Should().Equal(new SampleTree.Node(-1, 0x30, 1));
    }

    [Fact]
    public void A_truncated_stack_has_a_separate_node()
    {
        var tree = new SampleTree(new NodeBudget(100));

        tree.TryAdd([UserMark, 0x20, 0x11], maxStackLength: 3).Should().BeTrue();
        tree.Nodes[0].Address.Should().Be(0x10, "the mark is not an address");
        tree = new SampleTree(new NodeBudget(100));
        tree.TryAdd([UserMark, 0x20, 0x11], maxStackLength: 2).Should().BeTrue();

        tree.Nodes[0].Address.Should().Be(SampleTree.Truncated);
        tree.Nodes[2].Should().Be(new SampleTree.Node(1, 0x20, 1));
    }

    [Fact]
    public void Memory_is_bounded_for_all_trees_together()
    {
        var budget = new NodeBudget(3);
        var (first, second) = (new SampleTree(budget), new SampleTree(budget));

        first.TryAdd([0x20, 0x11], maxStackLength: 4).Should().BeTrue();
        second.TryAdd([0x20, 0x11], maxStackLength: 4).Should().BeFalse();
        first.TryAdd([0x20, 0x11], maxStackLength: 4).Should().BeTrue("the stack already has nodes");

        (first.SampleCount, second.SampleCount).Should().Be((2, 0));
    }

    [Fact]
    public void A_stack_without_memory_is_not_added_to_another_one()
    {
        var budget = new NodeBudget(5);
        SampleTree all = new(budget), added = new(new NodeBudget(100));
        all.TryAdd([0x30, 0x11], maxStackLength: 4).Should().BeTrue();
        all.TryAdd([0x30], maxStackLength: 4).Should().BeTrue();
        all.TryAdd([0x40, 0x51], maxStackLength: 4).Should().BeTrue();
        added.TryAdd([0x30, 0x21, 0x11], maxStackLength: 4).Should().BeTrue(); // as if 10 had called 30, without the 20 in between
        added.TryAdd([0x30, 0x61], maxStackLength: 4).Should().BeTrue(); // as if 30 had no caller
        added.TryAdd([0x30, 0x11], maxStackLength: 4).Should().BeTrue();

        all.AddAll(added).Should().Be(1, "one of the three already has nodes");

        all.SampleCount.Should().Be(4);
        all.Nodes.Should().Equal(
            new SampleTree.Node(-1, 0x10, 0),
            new SampleTree.Node(0, 0x30, 2),
            new SampleTree.Node(-1, 0x30, 1),
            new SampleTree.Node(-1, 0x50, 0),
            new SampleTree.Node(3, 0x40, 1));
    }

    [Fact]
    public void A_sample_without_addresses_is_not_counted()
    {
        var tree = new SampleTree(new NodeBudget(3));

        tree.TryAdd([UserMark], maxStackLength: 4).Should().BeFalse();
        tree.TryAdd([], maxStackLength: 4).Should().BeFalse();

        tree.SampleCount.Should().Be(0);
    }
}
